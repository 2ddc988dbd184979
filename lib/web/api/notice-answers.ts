import * as z from 'zod';
import { ASKED_KINDS, DELIVERY_STATES, NOTICE_KINDS } from '@/lib/domain/notices';
import { count, instant, orNull, text } from '@/lib/web/api/answer-parts';

/** Answers about subscribers and notices, as the OpenAPI document says them. */

const kind = z.enum(NOTICE_KINDS);
const kinds = z
  .array(z.enum(ASKED_KINDS))
  .meta({ description: 'What it is told of; none is everything, what comes later too.' });

const deliveryParts = {
  subscriber: text,
  state: z.enum(DELIVERY_STATES),
  attempts: count,
  nextAttemptAt: orNull(instant),
  status: orNull(z.int()).meta({ description: 'HTTP status of the last answer, if one came.' }),
  error: orNull(text).meta({
    description: 'Why the last try did not deliver it: the receiver’s text, cut to 500 characters.',
  }),
  deliveredAt: orNull(instant),
};

const subscriberParts = {
  name: text,
  dataset: orNull(text).meta({ description: 'Null: told of every dataset.' }),
  url: text.meta({ description: 'Without its query for whoever does not manage subscribers.' }),
  kinds,
};

export const subscriber = z
  .looseObject({
    ...subscriberParts,
    madeBy: text,
    madeAt: instant,
    endedBy: orNull(text),
    endedAt: orNull(instant),
    waiting: count,
    delivered: count,
    failed: count,
    last: orNull(
      z.looseObject({ id: z.uuid(), kind, subject: text, at: instant, ...deliveryParts }),
    ),
    failures: z
      .array(z.uuid())
      .meta({ description: 'Newest notices that were given up, 100 at most.' }),
  })
  .meta({ id: 'Subscriber' });

export const newSubscriber = z
  .looseObject({
    ...subscriberParts,
    secret: text.meta({
      description:
        'Shown this once. `Interlock-Signature: t=<unix seconds>,v1=<hex>` is HMAC-SHA-256 over `<t>.<body>` under it.',
    }),
  })
  .meta({ id: 'NewSubscriber' });

export const notice = z
  .looseObject({
    id: z.uuid().meta({ description: 'The same at every try: receivers drop repetitions by it.' }),
    kind,
    dataset: orNull(text),
    subject: text.meta({ description: 'A release, `name@revision`, or an interval `[from, to)`.' }),
    at: instant,
    body: z.record(z.string(), z.unknown()),
    deliveries: z.array(z.looseObject(deliveryParts)),
  })
  .meta({ id: 'Notice' });
