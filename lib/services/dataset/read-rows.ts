import { sql } from 'drizzle-orm';
import { instantFromText, maybeOne } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { type ContaminatedWarning, contaminatedWarnings } from '@/lib/db/statements/contamination';
import { endLeaseOf, grantLeaseOnce, type Lease, renewLease } from '@/lib/db/statements/lease';
import { jsonOf, readPage } from '@/lib/db/statements/read-page';
import { Forbidden, Gone, Invalid, NotFound, Refused, toWait } from '@/lib/domain/refusal';
import type { Ctx } from '@/lib/services/context';
import { verb } from '@/lib/services/verb';

export interface ReadInput {
  dataset: string;
  from?: string | undefined;
  to?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
  /** A generation that serves or served and is kept. */
  generation?: string | undefined;
  lease?: string | undefined;
}

export interface RowsPage {
  generation: string;
  lease: { id: string; until: string } | null;
  rows: Record<string, unknown>[];
  nextCursor: string | null;
  /** What of the interval is known to be wrong in this generation; empty where nothing is. */
  warnings: ContaminatedWarning[];
}

/** Renewals of one lease never add up to more than this. */
const capSeconds = 86_400;

/**
 * A page of rows, in order of partition and key. The first page pins the generation in use with a
 * lease; the cursor carries it, so that every page of one reading is of one generation, and a
 * lease that ended is LEASE_ENDED, never an empty page. A pin fixes the generation, not each row's
 * version: a live event may change a row between two pages.
 */
export const readRows = verb<ReadInput, RowsPage>(
  {
    name: 'dataset.rows',
    subject: (input) => input.dataset,
    chain: async (_, input) => `dataset:${input.dataset}`,
    audited: false,
  },
  async (ctx, input) => {
    const dataset = await loadDataset(ctx.db, input.dataset);
    if (!dataset) throw new NotFound('dataset', input.dataset);
    const cursor = input.cursor === undefined ? null : readCursor(input.cursor, input.dataset);
    const pin = await pinFor(ctx, dataset, input, cursor?.lease ?? input.lease ?? null, cursor);
    const limit = Math.min(Math.max(input.limit ?? 100, 1), 1000);
    const span = {
      from: cursor?.from ?? input.from ?? null,
      to: cursor?.to ?? input.to ?? null,
    };
    const page = await readPage(ctx.db, {
      dataset,
      generation: pin.id,
      lease: pin.lease?.id ?? null,
      ...span,
      after: cursor?.after ?? null,
      limit,
    });
    if (!page.stands) throw new Gone(pin.lease ? 'LEASE_ENDED' : 'GENERATION_GONE');
    const last = page.rows.at(-1);
    return {
      generation: pin.name,
      lease: pin.lease,
      rows: page.rows.map((row) => rowJson(dataset, row.values)),
      nextCursor:
        page.rows.length < limit || !last
          ? null
          : writeCursor({
              dataset: input.dataset,
              lease: pin.lease?.id ?? null,
              generation: pin.lease ? null : pin.name,
              ...span,
              after: { start: last.start, key: last.key },
            }),
      warnings: await contaminatedWarnings(ctx.db, pin.id, span),
    };
  },
);

/** A row's declared columns as JSON: numerics and bigints as exact text. */
export function rowJson(
  dataset: DatasetShape,
  values: readonly (string | null)[],
): Record<string, unknown> {
  return Object.fromEntries(
    dataset.columns.map((column, i) => {
      const text = values[i] ?? null;
      const value =
        column.type === 'timestamptz' && text !== null
          ? instantFromText(text)
          : jsonOf(column.type, text);
      return [column.name, value];
    }),
  );
}

interface Cursor {
  dataset: string;
  lease: string | null;
  generation: string | null;
  from: string | null;
  to: string | null;
  after: { start: string; key: string };
}

const writeCursor = (cursor: Cursor) => Buffer.from(JSON.stringify(cursor)).toString('base64url');

function readCursor(text: string, dataset: string): Cursor {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor;
    if (cursor.dataset === dataset && typeof cursor.after.key === 'string') return cursor;
  } catch {
    // falls through to the one answer for a cursor that is none of ours
  }
  throw new Invalid({
    pointer: '/cursor',
    code: 'INVALID_INPUT',
    message: 'This is no cursor of this dataset; begin again without it.',
  });
}

interface Pin {
  id: string;
  name: string;
  lease: { id: string; until: string } | null;
}

async function pinFor(
  ctx: Ctx,
  dataset: DatasetShape,
  input: ReadInput,
  lease: string | null,
  cursor: Cursor | null,
): Promise<Pin> {
  if (lease !== null) {
    const renewed = await renewLease(ctx.db, lease, dataset.policy.leaseSeconds);
    if (!renewed || renewed.dataset !== dataset.name) throw new Gone('LEASE_ENDED');
    return {
      id: renewed.generationId,
      name: renewed.generation,
      lease: { id: renewed.id, until: renewed.until },
    };
  }
  const named = cursor?.generation ?? input.generation;
  if (named !== undefined) {
    const found = await maybeOne<{ id: string }>(
      ctx.db,
      sql`select id from control.generation where dataset = ${dataset.name} and name = ${named}
        and state in ('serving', 'kept') and served_from is not null`,
    );
    if (!found) throw new Gone('GENERATION_GONE');
    return { id: found.id, name: named, lease: null };
  }
  const granted = await pinActive(ctx, dataset, dataset.policy.leaseSeconds);
  return {
    id: granted.generationId,
    name: granted.generation,
    lease: { id: granted.id, until: granted.until },
  };
}

async function pinActive(ctx: Ctx, dataset: DatasetShape, seconds: number): Promise<Lease> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const granted = await grantLeaseOnce(ctx.db, {
      dataset: dataset.name,
      person: ctx.actor.person,
      seconds,
      capSeconds,
    });
    if (granted) return granted;
    const serving = await maybeOne<{ active: string | null }>(
      ctx.db,
      sql`select active_generation as active from control.registry where dataset = ${dataset.name}`,
    );
    if (serving?.active === null) {
      throw new Refused(toWait('DATASET_NOT_READY', 'The first generation is still being built.'));
    }
  }
  throw new Gone('GENERATION_GONE', 'The generation in use kept moving; try again.');
}

/** A reader's right to keep reading the generation in use; `seconds` up to the dataset's policy. */
export const grantLease = verb<
  { dataset: string; seconds?: number | undefined },
  Pick<Lease, 'id' | 'generation' | 'until'>
>(
  {
    name: 'dataset.lease',
    subject: (input) => input.dataset,
    chain: async (_, input) => `dataset:${input.dataset}`,
    audited: false,
  },
  async (ctx, input) => {
    const dataset = await loadDataset(ctx.db, input.dataset);
    if (!dataset) throw new NotFound('dataset', input.dataset);
    const longest = dataset.policy.leaseSeconds;
    const seconds = Math.min(Math.max(input.seconds ?? longest, 1), longest);
    const { id, generation, until } = await pinActive(ctx, dataset, seconds);
    return { id, generation, until };
  },
);

/** Ends a lease before its time; only its holder may, or an admin. */
export const endLease = verb<{ id: string }, void>(
  {
    name: 'dataset.lease',
    subject: (input) => input.id.slice(0, 12),
    chain: async () => 'people',
    audited: false,
  },
  async (ctx, input) => {
    const found = await maybeOne<{ person: string }>(
      ctx.db,
      sql`select person from control.lease where id = ${input.id}`,
    );
    if (!found) throw new NotFound('lease', input.id);
    if (found.person !== ctx.actor.person && !ctx.actor.roles.includes('admin')) {
      throw new Forbidden('This lease is somebody else’s.');
    }
    await endLeaseOf(ctx.db, input.id);
  },
);
