import * as z from 'zod';
import { count, digest, instant, offsets, orNull, sums, text } from '@/lib/web/api/answer-parts';

/** Answers about publications and corrections, as the OpenAPI document says them. */

const figureParts = { rows: count, sums, partials: sums, root: digest };

const figures = z
  .looseObject(figureParts)
  .meta({ id: 'Figures', description: 'Figures of one partition; sums are exact text.' });

const delta = z
  .looseObject({
    rows: z.int(),
    sums: z.record(z.string(), z.string()),
    partials: z.record(z.string(), z.string()),
  })
  .meta({ id: 'FiguresDelta', description: 'After less before; rollups that add up alone.' });

const partition = z.looseObject({
  start: instant,
  end: instant,
  label: text.meta({ description: 'Both ends in the dataset’s zone.' }),
});

const range = z.looseObject({ from: instant, to: instant }).meta({ description: 'Half-open.' });

const publicationParts = {
  id: text,
  dataset: text,
  range,
  sentTo: text,
  document: orNull(text),
  by: text,
  at: instant,
  partitions: count.meta({ description: 'How many partitions it sealed.' }),
};

export const publicationItem = z
  .looseObject(publicationParts)
  .meta({ id: 'PublicationItem', description: 'That figures of a range were sent out.' });

export const publication = z
  .looseObject({
    ...publicationParts,
    sealed: z.array(instant).meta({ description: 'Starts of the partitions that it sealed.' }),
    already: z.array(instant).meta({
      description: 'Starts of those that were sealed before: their published figures stand.',
    }),
    rows: count.meta({ description: 'Rows in the partitions that it sealed.' }),
  })
  .meta({ id: 'Publication' });

export const correction = z
  .looseObject({
    id: text,
    dataset: text,
    partition,
    kind: z.enum(['amend', 'cutover', 'rollback']),
    published: z.looseObject({
      ...figureParts,
      at: instant,
      sentTo: text,
      document: orNull(text),
      publication: text,
    }),
    before: figures,
    after: figures,
    delta,
    reason: text,
    release: orNull(text),
    receipt: orNull(z.looseObject({ release: text, partition: instant })),
    signatures: z.array(text).meta({ description: 'Who signed the switch that wrote it.' }),
    generation: text,
    transform: digest,
    by: text,
    at: instant,
    progress: offsets,
  })
  .meta({ id: 'Correction' });

export const sealedPartition = z
  .looseObject({
    partition,
    publication: z.looseObject({ id: text, at: instant, sentTo: text, document: orNull(text) }),
    published: figures,
    asOfNow: figures,
    delta,
    corrections: count,
    pending: z.looseObject({ count, since: orNull(instant) }),
  })
  .meta({ id: 'SealedPartition', description: 'As published, and as of now.' });

export const partitionHistory = z
  .looseObject({
    dataset: text,
    partition,
    publications: z.array(
      z.looseObject({
        id: text,
        range,
        sentTo: text,
        document: orNull(text),
        by: text,
        at: instant,
        sealed: z.boolean(),
      }),
    ),
    published: z.looseObject({
      ...figureParts,
      generation: text,
      transform: digest,
      progress: offsets,
    }),
    corrections: z.array(correction).meta({ description: 'Oldest first.' }),
    addsUp: z.boolean().meta({ description: 'Each begins where the one before it ended.' }),
    pending: z.looseObject({
      count,
      since: orNull(instant),
      events: z.array(
        z.looseObject({
          shard: count,
          offset: text,
          sourceKey: text,
          kind: z.enum(['added', 'changed', 'removed']),
          key: orNull(text),
          values: orNull(sums),
          at: instant,
        }),
      ),
    }),
    asOfNow: figures,
    delta,
  })
  .meta({ id: 'PartitionHistory' });

const page = { items: z.array(correction), nextCursor: orNull(text) };

export const corrections = z.union([
  z.looseObject(page),
  z
    .looseObject({
      exportedAt: instant,
      filter: z.record(z.string(), text),
      count,
      cut: z.boolean(),
      digest,
      items: z.array(correction),
    })
    .meta({
      id: 'CorrectionExport',
      description:
        'With `format=json`. The digest is SHA-256 over `interlock.corrections.v1`, a zero byte and the canonical JSON (RFC 8785) of `items`.',
    }),
]);
