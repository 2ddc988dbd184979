import * as z from 'zod';
import { digest, instant, offset, orNull, text } from '@/lib/web/api/answer-parts';

/** The answers about reports and what they come to; open objects, like those of `answers`. */

export const report = z
  .looseObject({
    id: offset,
    dataset: text,
    name: text,
    sql: text,
    digest,
    limitSeconds: z.int().meta({ description: 'How long one reading may take.' }),
    madeBy: text,
    madeAt: instant,
    endedAt: orNull(instant),
  })
  .meta({ id: 'Report' });

const side = z.looseObject({
  generation: text,
  rows: offset,
  root: digest.meta({ description: 'Of the result: equal rows, equal root.' }),
  millis: z.int(),
});

const row = orNull(z.array(orNull(text)));

export const shadow = z
  .looseObject({
    report,
    read: orNull(
      z.looseObject({
        id: offset,
        state: z.enum(['ASKED', 'READING', 'COMPARED', 'STOPPED']),
        askedBy: text,
        askedAt: instant,
        startedAt: orNull(instant),
        endedAt: orNull(instant),
        compared: orNull(
          z.looseObject({
            old: side,
            new: side,
            columns: z.array(text),
            differing: offset.meta({ description: 'Rows that are not the same on both.' }),
            sample: z
              .array(z.looseObject({ old: row, new: row }))
              .meta({ description: 'The first of them, as texts in the order of `columns`.' }),
            eventsApart: offset.meta({
              description: 'Events that one generation had applied and the other had not.',
            }),
          }),
        ),
        why: orNull(text).meta({ description: 'Why nothing was compared.' }),
      }),
    ).meta({ description: 'The newest reading on this release.' }),
  })
  .meta({ id: 'ShadowRead' });
