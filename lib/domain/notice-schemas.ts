import * as z from 'zod';
import { ASKED_KINDS, readSubscriberUrl } from './notices';
import { textSchema } from './zod-issues';

export const subscriberUrlSchema = textSchema(readSubscriberUrl, {
  format: 'uri',
  description: 'https, or http inside a network; without name and password',
});

/** Kinds in the order of the list, each once; none is all of them, whatever comes later too. */
export const askedKindsSchema = z
  .array(z.enum(ASKED_KINDS))
  .max(100)
  .transform((kinds) => ASKED_KINDS.filter((kind) => kinds.includes(kind)));
