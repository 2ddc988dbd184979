'use server';

import { refresh } from 'next/cache';
import * as z from 'zod';
import { askedKindsSchema } from '@/lib/domain/notice-schemas';
import { roleSchema } from '@/lib/domain/permissions';
import { Invalid, NotFound, Refused, toFix } from '@/lib/domain/refusal';
import { sourceView } from '@/lib/queries/source-view';
import { setPolicy as setPolicyOf } from '@/lib/services/dataset';
import {
  addSubscriber,
  changeSubscriber,
  endSubscriber,
  resendNotice,
  testSubscriber,
} from '@/lib/services/notices';
import { createToken, revokeToken, rolesOf, setRoles } from '@/lib/services/people';
import { applySource } from '@/lib/services/source';
import { action } from '@/lib/web/action';

const person = z.string().max(254);
const roles = z.array(roleSchema).max(20);

/** Makes a person; one who is there already is not changed. */
export const makePerson = action(
  'people.write',
  z.strictObject({
    person,
    displayName: z.string().trim().max(200),
    email: z.union([z.literal(''), z.email().max(254).toLowerCase()]),
    roles,
  }),
  async (ctx, { person, displayName, email, roles }) => {
    const made = await setRoles(ctx, {
      person: person.trim(),
      roles,
      seen: null,
      displayName: displayName === '' ? undefined : displayName,
      email: email === '' ? undefined : email,
    });
    refresh();
    return { name: made.name };
  },
);

/** Gives a person exactly these roles, if they still have those that were seen. */
export const changeRoles = action(
  'people.write',
  z.strictObject({ person, roles, seen: roles }),
  async (ctx, input) => {
    await setRoles(ctx, input);
    refresh();
  },
);

/** Makes a token of roles that its person holds; its text is in this answer and nowhere else. */
export const makeToken = action(
  'token.create',
  z.strictObject({ person, roles: roles.min(1) }),
  async (ctx, { person, roles }) => {
    const held = await rolesOf(ctx.db, person);
    if (held === null) throw new NotFound('person', person);
    const beyond = roles.filter((role) => !held.includes(role));
    if (beyond.length > 0) {
      throw new Invalid({
        pointer: '/roles',
        code: 'INVALID_INPUT',
        message: `${person} does not hold ${beyond.join(', ')}, so a token cannot carry it.`,
      });
    }
    const { id, token } = await createToken(ctx, { person, roles });
    refresh();
    return { id, token };
  },
);

/** Ends a token. */
export const endToken = action(
  'token.revoke',
  z.strictObject({ person, id: z.string().max(60) }),
  async (ctx, { id }) => {
    await revokeToken(ctx, { id });
    refresh();
  },
);

/** Changes a dataset's policy, if it still is the one that was seen. */
export const setPolicy = action(
  'dataset.apply',
  z.strictObject({ dataset: z.string().max(200), policy: z.unknown(), seen: z.unknown() }),
  async (ctx, { dataset, policy, seen }) => {
    await setPolicyOf(ctx, { dataset, policy, seen });
    refresh();
  },
);

const days = z.int().nullable();

/** Changes how long a source's log is kept whole, if it still is what was seen. */
export const setRetention = action(
  'source.apply',
  z.strictObject({ source: z.string().max(200), retentionDays: days, seen: days }),
  async (ctx, { source, retentionDays, seen }) => {
    const { key, columns, eventTime, complete, shards, ...now } = await sourceView(ctx.db, source);
    if (now.retentionDays !== seen) {
      throw new Refused(
        toFix('CHANGED_SINCE_SEEN', `Somebody changed what ${source} keeps since you looked.`, {
          expected: seen,
          current: now.retentionDays,
        }),
      );
    }
    const declared = { key, columns, eventTime, complete, shards: shards.length };
    await applySource(ctx, { name: source, ...declared, retentionDays });
    refresh();
  },
);

const name = z.string().max(200);
const url = z.string().trim().max(4_000);

/** Adds whom to tell; the secret is in this answer and nowhere else. */
export const newSubscriber = action(
  'subscriber.manage',
  z.strictObject({ name, dataset: name.nullable(), url, kinds: askedKindsSchema }),
  async (ctx, input) => {
    const { secret } = await addSubscriber(ctx, { ...input, name: input.name.trim() });
    refresh();
    return { secret };
  },
);

/** Changes where a subscriber is told, and of what. */
export const setSubscriber = action(
  'subscriber.manage',
  z.strictObject({ name, url, kinds: askedKindsSchema }),
  async (ctx, input) => {
    await changeSubscriber(ctx, input);
    refresh();
  },
);

/** Ends a subscriber. */
export const stopSubscriber = action(
  'subscriber.manage',
  z.strictObject({ name }),
  async (ctx, input) => {
    await endSubscriber(ctx, input);
    refresh();
  },
);

/** Sends a subscriber a test. */
export const tryOut = action('subscriber.manage', z.strictObject({ name }), async (ctx, input) => {
  await testSubscriber(ctx, input);
  refresh();
});

/** Sends what was given up again, as far as it still is; stops at the first that is refused. */
export const sendAgain = action(
  'subscriber.manage',
  z.strictObject({ name, notices: z.array(z.uuid()).max(100) }),
  async (ctx, { name: subscriber, notices }) => {
    try {
      for (const notice of notices) await resendNotice(ctx, { notice, subscriber });
    } finally {
      refresh();
    }
  },
);
