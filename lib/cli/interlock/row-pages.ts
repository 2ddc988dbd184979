import * as z from 'zod';
import { type ApiClient, type ApiRequest, CliError, pathOf } from './api-client';

const pageSchema = z.object({
  generation: z.string(),
  lease: z.object({ id: z.string() }).nullish(),
  rows: z.array(z.record(z.string(), z.unknown())),
  nextCursor: z.string().nullish(),
  warnings: z
    .array(
      z.object({
        code: z.string(),
        from: z.string(),
        to: z.string(),
        reason: z.string(),
        repairedBy: z.string().nullish(),
      }),
    )
    .default([]),
});

export type RowPage = z.output<typeof pageSchema>;

const PAGE = 1_000;

/**
 * Pages of a dataset's rows, all of one generation: the first page takes a lease, the cursor
 * carries it, and it is given back when reading ends, so that nothing waits for it to run out.
 *
 * @throws ApiError `LEASE_ENDED`, `GENERATION_GONE`
 */
export async function* rowPages(
  api: ApiClient,
  dataset: string,
  query: NonNullable<ApiRequest['query']>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<RowPage> {
  const path = `${pathOf('datasets', dataset)}/rows`;
  let lease: string | undefined;
  let left = limit;
  try {
    for (let cursor: string | undefined; left > 0; ) {
      const size = String(Math.min(PAGE, left));
      const answer = await api.get(path, { ...query, limit: size, cursor });
      const page = pageSchema.safeParse(answer.body);
      if (!page.success) throw new CliError('the server answers with rows in an unknown form');
      lease ??= page.data.lease?.id;
      left -= page.data.rows.length;
      yield page.data;
      if (!page.data.nextCursor) return;
      cursor = page.data.nextCursor;
    }
  } finally {
    if (lease !== undefined) await endLease(api, lease);
  }
}

/** A lease that ended by itself, or cannot be ended now, ends anyhow. */
async function endLease(api: ApiClient, lease: string): Promise<void> {
  try {
    await api.send({ method: 'DELETE', path: pathOf('leases', lease) });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  }
}
