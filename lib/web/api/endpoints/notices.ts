import * as z from 'zod';
import { datasetNameSchema, subscriberNameSchema } from '@/lib/domain/names';
import { askedKindsSchema, subscriberUrlSchema } from '@/lib/domain/notice-schemas';
import { may } from '@/lib/domain/permissions';
import { noticeList, noticeView, subscriberList, subscriberView } from '@/lib/queries/notices';
import type { Ctx } from '@/lib/services/context';
import {
  addSubscriber,
  changeSubscriber,
  endSubscriber,
  resendNotice,
  testSubscriber,
} from '@/lib/services/notices';
import { endpoint, noContent, ok } from '@/lib/web/api/endpoint';
import { listOf, pageQuery } from '@/lib/web/api/fields';
import * as answers from '@/lib/web/api/notice-answers';

/** Who manages them sees whole addresses. */
const whole = ({ actor }: Ctx) => ({ whole: may(actor.roles, 'subscriber.manage') });

const kindsBody = askedKindsSchema.meta({
  description: 'None: everything, what comes later too.',
});

export const notices = [
  endpoint({
    method: 'GET',
    path: '/subscribers',
    id: 'listSubscribers',
    tag: 'subscribers',
    summary: 'Who is told of datasets, by name, those that were ended too',
    permission: 'subscriber.read',
    query: z.object(pageQuery),
    answers: { 200: { description: 'A page.', schema: listOf(answers.subscriber) } },
    handle: async ({ ctx, query }) => ok(await subscriberList(ctx.db, whole(ctx), query)),
  }),
  endpoint({
    method: 'POST',
    path: '/subscribers',
    id: 'addSubscriber',
    tag: 'subscribers',
    summary: 'Adds whom to tell from now on; the secret is shown this once',
    description:
      'Each notice is posted to `url` as JSON `{id, kind, dataset, subject, at, body}` with the headers `Interlock-Notice` (the id) and `Interlock-Signature`. 2xx within 10 s is delivered; redirects are not followed. Anything else is tried again, 12 times in about five hours. A notice may come more than once: drop those whose id you have. A name is used once.',
    permission: 'subscriber.manage',
    body: z.strictObject({
      name: subscriberNameSchema,
      dataset: datasetNameSchema.nullable().optional(),
      url: subscriberUrlSchema,
      kinds: kindsBody.optional(),
    }),
    secret: true,
    answers: { 201: { description: 'The subscriber.', schema: answers.newSubscriber } },
    codes: ['INVALID_NAME', 'NOT_FOUND', 'ALREADY_EXISTS'],
    handle: async ({ ctx, body }) => ({ ...ok(await addSubscriber(ctx, body)), status: 201 }),
  }),
  endpoint({
    method: 'PATCH',
    path: '/subscribers/{subscriber}',
    id: 'changeSubscriber',
    tag: 'subscribers',
    summary: 'Changes where a subscriber is told, and of what from now on',
    description: 'What still waits goes to the new address.',
    permission: 'subscriber.manage',
    body: z.strictObject({ url: subscriberUrlSchema.optional(), kinds: kindsBody.optional() }),
    answers: { 200: { description: 'The subscriber.', schema: answers.subscriber } },
    codes: ['NOT_FOUND', 'SUBSCRIBER_ENDED'],
    handle: async ({ ctx, params, body }) => {
      const name = params.subscriber ?? '';
      await changeSubscriber(ctx, { name, ...body });
      return ok(await subscriberView(ctx.db, name, whole(ctx)));
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/subscribers/{subscriber}',
    id: 'endSubscriber',
    tag: 'subscribers',
    summary: 'Ends a subscriber: it is told nothing more, and what waits is given up',
    permission: 'subscriber.manage',
    answers: { 204: { description: 'It is ended.' } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params }) => {
      await endSubscriber(ctx, { name: params.subscriber ?? '' });
      return noContent;
    },
  }),
  endpoint({
    method: 'POST',
    path: '/subscribers/{subscriber}/test',
    id: 'testSubscriber',
    tag: 'subscribers',
    summary: 'Writes a notice of kind TEST for this subscriber alone',
    permission: 'subscriber.manage',
    answers: {
      201: { description: 'The notice; it is sent by the runner.', schema: answers.notice },
    },
    codes: ['NOT_FOUND', 'SUBSCRIBER_ENDED'],
    handle: async ({ ctx, params }) => {
      const { id } = await testSubscriber(ctx, { name: params.subscriber ?? '' });
      return { ...ok(await noticeView(ctx.db, id)), status: 201 };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/datasets/{dataset}/notices',
    id: 'listNotices',
    tag: 'subscribers',
    summary: 'What subscribers were told of a dataset, newest first, and whether it arrived',
    permission: 'subscriber.read',
    query: z.object(pageQuery),
    answers: { 200: { description: 'A page.', schema: listOf(answers.notice) } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params, query }) =>
      ok(await noticeList(ctx.db, params.dataset ?? '', query)),
  }),
  endpoint({
    method: 'POST',
    path: '/notices/{notice}/resend',
    id: 'resendNotice',
    tag: 'subscribers',
    summary: 'Has a delivery that was given up tried again, under the same id',
    permission: 'subscriber.manage',
    body: z.strictObject({ subscriber: z.string().max(200) }),
    answers: { 200: { description: 'The notice.', schema: answers.notice } },
    codes: ['NOT_FOUND', 'DELIVERY_NOT_FAILED', 'SUBSCRIBER_ENDED'],
    handle: async ({ ctx, params, body }) => {
      const notice = params.notice ?? '';
      await resendNotice(ctx, { notice, ...body });
      return ok(await noticeView(ctx.db, notice));
    },
    recover: async ({ ctx, params }) => ok(await noticeView(ctx.db, params.notice ?? '')),
  }),
];
