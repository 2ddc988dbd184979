import type * as z from 'zod';
import type { Digest } from '@/lib/digest/canonical';
import { manifestRoot } from '@/lib/digest/manifest';
import { compareInstants, type Instant } from '@/lib/domain/instant';
import { type Answer, type ApiClient, CliError, pathOf } from '../api-client';
import {
  type DatasetShape,
  datasetShape,
  type PartitionShape,
  partitionShape,
  type ReleaseShape,
  receiptPage,
  releaseShape,
} from './api-shapes';
import { type Recomputed, recompute } from './partition-roots';

/** What was compared: `moved` is a difference that events since then account for. */
export type Verdict = 'equal' | 'moved' | 'different';

export interface Verification {
  release: string;
  generation: string;
  ok: boolean;
  partitions: number;
  rows: number;
  /** Partitions whose rows do not come to the root, or the number, that the server says. */
  different: {
    start: string;
    said: string | null;
    found: string;
    rowsSaid: number | null;
    rowsFound: number;
  }[];
  /** Receipts against the rows as they are now. */
  receipts: { equal: number; moved: number; different: string[] };
  /** The manifest that was signed, against one made from the recomputed roots. */
  manifest: { said: string | null; found: string; verdict: Verdict | 'none' };
}

export interface VerifyProgress {
  readonly total: (rows: number) => void;
  readonly rows: (rows: number) => void;
}

/** A live dataset may write between reading a partition's root and its rows. */
const TRIES = 5;

/**
 * Recomputes every root of a release's range outside the database: rows are read through the API,
 * encoded and hashed here, and compared with what the server says of its partitions, with the
 * receipts of the build, and with the manifest that was signed.
 *
 * @param all the whole generation, inherited partitions too, instead of the release's range
 */
export async function verifyRelease(
  api: ApiClient,
  reference: string,
  all: boolean,
  progress: VerifyProgress,
): Promise<Verification> {
  const release = read(releaseShape, await api.get(pathOf('releases', reference)));
  if (release.generation === null) throw new CliError(`${reference} has made no generation yet`);
  const generation = release.generation.name;
  const dataset = read(datasetShape, await api.get(pathOf('datasets', release.dataset)));
  const inRange = (each: PartitionShape) => all || isInRange(release, each);
  const list = async () => (await partitionsOf(api, release.dataset, generation)).filter(inRange);

  let partitions = await list();
  progress.total(partitions.reduce((sum, { rows }) => sum + (rows ?? 0), 0));
  const found = await recompute(
    api,
    release.dataset,
    dataset,
    generation,
    partitions,
    progress.rows,
  );
  for (let tries = 1; tries < TRIES; tries += 1) {
    const doubtful = partitions.filter((each) => !agrees(each, found.get(each.start)));
    if (doubtful.length === 0) break;
    partitions = await list();
    const again = new Set(doubtful.map(({ start }) => start));
    for (const each of partitions.filter(({ start }) => again.has(start) || !found.has(start))) {
      const one = await recompute(api, release.dataset, dataset, generation, [each]);
      for (const [start, figures] of one) found.set(start, figures);
    }
  }
  return verdictOf(
    release,
    generation,
    dataset,
    partitions,
    found,
    await receiptsOf(api, reference),
  );
}

function verdictOf(
  release: ReleaseShape,
  generation: string,
  dataset: DatasetShape,
  partitions: readonly PartitionShape[],
  found: ReadonlyMap<string, Recomputed>,
  receipts: ReadonlyMap<string, string>,
): Verification {
  const now = dataset.generations.find(({ name }) => name === generation)?.progress ?? null;
  const different = partitions.flatMap((each) => {
    const { rows, root } = found.get(each.start) ?? { rows: 0, root: '' };
    return agrees(each, { rows, root })
      ? []
      : [{ start: each.start, said: each.root, found: root, rowsSaid: each.rows, rowsFound: rows }];
  });
  const comparison = compareReceipts(receipts, found, sameOffsets(release.watermark, now));
  const ours = partitions.filter((each) => isInRange(release, each));
  const manifest = manifestRoot(
    ours.map((each) => {
      const { rows, root } = found.get(each.start) ?? { rows: 0, root: '' };
      return {
        start: each.start,
        end: each.end,
        rows,
        sums: each.sums ?? {},
        root: root as Digest,
      };
    }),
  );
  const said = release.generation?.manifestRoot ?? null;
  const verdict = manifestVerdict(said, manifest, sameOffsets(release.barrier, now));
  return {
    release: release.release,
    generation,
    ok: different.length === 0 && comparison.different.length === 0 && verdict !== 'different',
    partitions: partitions.length,
    rows: [...found.values()].reduce((sum, { rows }) => sum + rows, 0),
    different,
    receipts: comparison,
    manifest: { said, found: manifest, verdict },
  };
}

function manifestVerdict(said: string | null, found: string, untouched: boolean): Verdict | 'none' {
  if (said === null) return 'none';
  if (said === found) return 'equal';
  return untouched ? 'different' : 'moved';
}

function compareReceipts(
  receipts: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, Recomputed>,
  untouched: boolean,
): Verification['receipts'] {
  const unequal = [...receipts].filter(([start, root]) => found.get(start)?.root !== root);
  return {
    equal: receipts.size - unequal.length,
    moved: untouched ? 0 : unequal.length,
    different: untouched ? unequal.map(([start]) => start) : [],
  };
}

function agrees(said: PartitionShape, found: Recomputed | undefined): boolean {
  return found !== undefined && said.root === found.root && said.rows === found.rows;
}

function isInRange({ spec: { range } }: ReleaseShape, { start }: PartitionShape): boolean {
  if (compareInstants(start as Instant, range.from as Instant) < 0) return false;
  return range.to === 'open' || compareInstants(start as Instant, range.to as Instant) < 0;
}

function sameOffsets(a: Record<string, string> | null, b: Record<string, string> | null): boolean {
  if (a === null || b === null) return false;
  const shards = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...shards].every((shard) => (a[shard] ?? '0') === (b[shard] ?? '0'));
}

async function partitionsOf(
  api: ApiClient,
  dataset: string,
  generation: string,
): Promise<PartitionShape[]> {
  const answer = await api.get(`${pathOf('datasets', dataset)}/partitions`, { generation });
  return read(partitionShape.array(), answer);
}

async function receiptsOf(api: ApiClient, reference: string): Promise<Map<string, string>> {
  const receipts = new Map<string, string>();
  let cursor: string | undefined;
  do {
    const path = `${pathOf('releases', reference)}/receipts`;
    const page = read(receiptPage, await api.get(path, { limit: '1000', cursor }));
    for (const { start, outputRoot } of page.items) receipts.set(start, outputRoot);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return receipts;
}

function read<S extends z.ZodType>(schema: S, { body }: Answer): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CliError(
    `the server answers in an unknown form: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}
