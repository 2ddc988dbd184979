import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import { isConflict } from '@/lib/db/pg-error';
import { storeFigures } from '@/lib/db/statements/figures';
import { loadMap, lockGeneration, saveMap } from '@/lib/db/statements/generation-map';
import { raiseVersion, versionOf } from '@/lib/db/statements/place';
import { eventsBetween, lockProgress } from '@/lib/db/statements/progress';
import { lockRegistry, type Registry } from '@/lib/db/statements/registry';
import { holdRun, partitionDone, runWorksOn, skipPartitions } from '@/lib/db/statements/run';
import { sealedAmong } from '@/lib/db/statements/sealed';
import { reached } from '@/lib/db/step';
import { transaction } from '@/lib/db/transaction';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { locate, turnTo } from '@/lib/domain/range-map';
import { NotFound } from '@/lib/domain/refusal';
import { storeQuarantine } from '@/lib/services/apply/evaluate-keys';
import { patience } from '@/lib/services/of-dataset';
import { reopenExpired } from '@/lib/services/release/reopen-expired';
import { sealerOf } from '@/lib/services/release/reopen-ingress';
import type { AsideOfRun, PartitionOfRun } from './run-aside';
import { bringForward } from './run-forward';

export interface Landing extends PartitionOfRun {
  run: string;
  token: string;
  aside: AsideOfRun;
  /** More events than this since the aside are not applied under the dataset's lock. */
  mostEvents: bigint;
}

export type Landed =
  | { kind: 'done'; changed: boolean }
  | { kind: 'sealed' }
  /** What was computed does not fit any more: to be computed again. */
  | { kind: 'again'; why: string }
  /** Ingress is sealed: nothing may be written until it is open again, which is bounded. */
  | { kind: 'wait'; why: string }
  /** The run was cancelled, or another process walks it. */
  | { kind: 'lost' };

/**
 * Turns a partition over to what was computed aside. Under the dataset's lock it brings the aside to
 * where live writing is by now, by taking over the served rows of every key with an event since:
 * live writing has just made those from the facts. So no event is lost, whenever it committed. Maps
 * nothing where what is served was right.
 */
export async function landAside(db: Database, landing: Landing): Promise<Landed> {
  try {
    return await transaction(db, (tx) => land(tx, landing), patience);
  } catch (error) {
    // a key that events since gave to another row: settled together they both come out right
    if (isConflict(error)) return { kind: 'again', why: 'a business key changed hands meanwhile' };
    throw error;
  }
}

async function land(tx: Tx, landing: Landing): Promise<Landed> {
  const { run, token, dataset, segment, start, end, aside } = landing;
  const registry = await lockRegistry(tx, dataset.name);
  if (!registry) throw new NotFound('dataset', dataset.name);
  if (registry.state === 'SEALED') return whileSealed(tx, registry);
  if (!(await holdRun(tx, run, token))) return { kind: 'lost' };
  const { generation } = aside;
  if (registry.active !== generation || registry.epoch !== aside.epoch) {
    return { kind: 'again', why: `epoch ${aside.epoch} is over` };
  }
  await lockGeneration(tx, generation);
  const progress = await lockProgress(tx, generation, 'wait');
  if (!progress) throw new Error(`generation ${generation} has no progress`);
  const micros = microsOf(start as Instant);
  if ((await sealedAmong(tx, dataset.name, [micros])).size > 0) {
    await skipPartitions(tx, run, [[start, 'sealed']]);
    return { kind: 'sealed' };
  }
  const map = await loadMap(tx, generation);
  const served = locate(map, micros).segment as string;
  // what was compared with what is computed is not what stands: another run may have repaired it
  if (served !== aside.served) return { kind: 'again', why: 'other rows are served meanwhile' };
  const since = eventsBetween(aside.watermark, progress);
  if (since > landing.mostEvents) return { kind: 'again', why: `${since} events came meanwhile` };

  const { unlisted } = aside;
  if (unlisted.length > 0 && since > 0n) {
    return { kind: 'again', why: 'events came that may settle what could not become a row' };
  }

  const figures = since > 0n ? await bringForward(tx, landing, served, progress) : aside.figures;
  const changed = !aside.equal;
  if (changed) {
    const version = String(BigInt((await versionOf(tx, { segment: served, start })) ?? '0') + 1n);
    const here = { segment, start, end };
    // gone: cleared away as what nobody maps
    if (!(await raiseVersion(tx, here, version))) return { kind: 'again', why: 'it was cleared' };
    await storeFigures(tx, here, figures, version);
    const span = { from: micros, to: microsOf(end as Instant) };
    await saveMap(tx, generation, map, turnTo(map, [span], segment));
  }
  await storeQuarantine(
    tx,
    generation,
    unlisted.map((q) => q.sourceKey),
    unlisted,
  );
  const after = { rows: figures.rows, root: figures.root, sums: figures.sums };
  const settled = { changed, before: aside.before, after };
  if (!(await partitionDone(tx, run, start, settled))) return { kind: 'lost' };
  await runWorksOn(tx, run, { generation, epoch: registry.epoch });
  await reached('run.before-commit');
  return { kind: 'done', changed };
}

async function whileSealed(tx: Tx, registry: Registry): Promise<Landed> {
  if (registry.expired) {
    const epoch = await reopenExpired(tx, registry);
    return { kind: 'again', why: `ingress reopened under epoch ${epoch}` };
  }
  return { kind: 'wait', why: await sealedWords(tx, registry) };
}

/** Who sealed ingress, and until when at most. */
export async function sealedWords(
  tx: Database | Tx,
  registry: Pick<Registry, 'sealer' | 'sealedUntil'>,
): Promise<string> {
  const sealer = sealerOf(registry as Registry);
  const release =
    sealer?.kind === 'release'
      ? await maybeOne<{ name: string }>(
          tx,
          sql`select name || '@' || revision as name from control.release where id = ${sealer.id}`,
        )
      : null;
  const who = release?.name ?? (sealer?.kind === 'rollback' ? 'a rollback' : 'somebody');
  return `ingress is sealed by ${who} until ${registry.sealedUntil} at the latest`;
}
