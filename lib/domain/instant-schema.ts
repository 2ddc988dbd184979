import { readInstant } from './instant';
import { textSchema } from './zod-issues';

/**
 * zod schema of an instant: RFC 3339 text with offset in, canonical `Instant` out. Apart from the
 * reader, which pages show times with: a browser that only reads them needs no zod.
 */
export const instantSchema = textSchema(readInstant, {
  format: 'date-time',
  description: 'RFC 3339, offset required, microseconds at most',
});
