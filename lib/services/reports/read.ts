import { sql } from 'drizzle-orm';
import { type Database, rows, type Tx } from '@/lib/db/client';
import { type DatasetShape, loadDataset } from '@/lib/db/dataset-shape';
import { pgError } from '@/lib/db/pg-error';
import { loadMap } from '@/lib/db/statements/generation-map';
import { readProgress } from '@/lib/db/statements/progress';
import {
  claimShadowRead,
  dueShadowReads,
  endShadowRead,
  readReport,
  type ShadowClaim,
  type ShadowResult,
} from '@/lib/db/statements/report';
import { sealedWithin } from '@/lib/db/statements/sealed';
import { transaction } from '@/lib/db/transaction';
import { canonicalJson, sha256Bytes, tagBytes } from '@/lib/digest/canonical';
import type { MapRange } from '@/lib/domain/range-map';
import { Invalid } from '@/lib/domain/refusal';
import {
  compareReports,
  MOST_REPORT_BYTES,
  MOST_REPORT_ROWS,
  MOST_REPORT_SAMPLES,
  plainRow,
  type ReportRow,
} from '@/lib/domain/report';
import { afterCutover } from '@/lib/domain/sealed';
import type { Report } from '@/lib/transform/report';
import { checkedReport } from './checked';

/** Why nothing was compared: an outcome, said to people, and not tried again by itself. */
class Stopped extends Error {}

const MOST_ATTEMPTS = 3;
const ROWS_TAG = 'interlock.report-rows.v1';

/**
 * Makes a reading that was asked for: the report on both generations, of one snapshot, and what
 * differs. May be called any number of times, by any process, after a death at any point.
 *
 * @throws what is no fault of the report, as a lost connection: it is tried again
 */
export async function readInShadow(db: Database, id: string): Promise<void> {
  const claim = await claimShadowRead(db, id);
  if (!claim) return;
  try {
    if (claim.attempt > MOST_ATTEMPTS) {
      throw new Stopped(`It was begun ${MOST_ATTEMPTS} times, and came to no end.`);
    }
    const dataset = await loadDataset(db, claim.dataset);
    if (!dataset) throw new Stopped(`There is no dataset ${claim.dataset} any more.`);
    const report = await checkedReport(claim.sql, dataset);
    const result = await transaction(db, (tx) => compare(tx, dataset, report, claim), {
      isolation: 'repeatable read',
      readOnly: true,
      retries: 0,
    });
    await endShadowRead(db, claim, { result });
  } catch (error) {
    const why = whyStopped(error);
    if (why === null) throw error;
    await endShadowRead(db, claim, { why });
  }
}

/**
 * Makes every reading that nobody is at, one after the other. Not a job of the queue: a report may
 * take minutes, and behind a few of them a rollback's steps would wait.
 */
export async function readDue(db: Database, stopping: () => boolean): Promise<void> {
  for (const id of await dueShadowReads(db)) {
    if (stopping()) return;
    await readInShadow(db, id);
  }
}

function whyStopped(error: unknown): string | null {
  if (error instanceof Stopped) return error.message;
  if (error instanceof Invalid) return `The report is not allowed any more: ${error.message}`;
  return null;
}

async function compare(
  tx: Tx,
  dataset: DatasetShape,
  report: Report,
  claim: ShadowClaim,
): Promise<ShadowResult> {
  const named = new Map(
    (
      await rows<{ id: string; name: string; state: string }>(
        tx,
        sql`select id, name, state from control.generation where id in (${claim.old}, ${claim.new})`,
      )
    ).map((generation) => [generation.id, generation]),
  );
  for (const { name, state } of named.values()) {
    if (state === 'hidden' || state === 'retired') throw new Stopped(`${name} is dropped.`);
  }
  const served = await loadMap(tx, claim.old);
  const own = await loadMap(tx, claim.new);
  // before its cutover a candidate has its own range only; what it will serve is compared
  const will =
    named.get(claim.new)?.state === 'candidate'
      ? afterCutover(own, served, await sealedWithin(tx, dataset.name, claim))
      : own;
  const sideOf = (id: string, map: readonly MapRange[], before = '') =>
    read(tx, dataset, report, claim, { map, name: named.get(id)?.name ?? '', before });
  const old = await sideOf(claim.old, served);
  const seconds = (old.millis / 1_000).toFixed(1);
  const took = `; on ${named.get(claim.old)?.name} it took ${seconds} s`;
  const fresh = await sideOf(claim.new, will, took);
  const types = report.columns.map(({ type }) => type);
  const names = report.columns.map(({ name }) => name);
  const key = report.key?.map((name) => names.indexOf(name)) ?? null;
  const differences = compareReports(types, key, old.rows, fresh.rows);
  const figures = ({ rows: found, millis }: Side) => ({
    rows: found.length,
    root: rootOf(types, found),
    millis,
  });
  return {
    oldProgress: await readProgress(tx, claim.old),
    newProgress: await readProgress(tx, claim.new),
    columns: names,
    old: figures(old),
    new: figures(fresh),
    differing: differences.length,
    sample: differences.slice(0, MOST_REPORT_SAMPLES),
  };
}

interface Side {
  rows: ReportRow[];
  millis: number;
}

async function read(
  tx: Tx,
  dataset: DatasetShape,
  report: Report,
  { limitSeconds }: ShadowClaim,
  { map, name, before }: { map: readonly MapRange[]; name: string; before: string },
): Promise<Side> {
  const began = Date.now();
  try {
    const most = MOST_REPORT_ROWS + 1;
    const limits = { most, mostBytes: MOST_REPORT_BYTES, limitSeconds };
    const found = await readReport(tx, dataset, map, report, limits);
    if (found === null || found.length === most) {
      const much =
        found === null ? `${MOST_REPORT_BYTES / 1_000_000} MB` : `${MOST_REPORT_ROWS} rows`;
      throw new Stopped(`It comes to more than ${much} on ${name}; sum it up.`);
    }
    return { rows: found, millis: Date.now() - began };
  } catch (error) {
    const problem = pgError(error);
    if (problem?.code === '57014') {
      throw new Stopped(`It ran into its limit of ${limitSeconds} s on ${name}${before}.`);
    }
    // a division by zero and its like; a lost connection is not the report's
    if (problem && /^(2|4|54)/.test(problem.code) && !/^40/.test(problem.code)) {
      throw new Stopped(`PostgreSQL says on ${name}: ${problem.message}.`);
    }
    throw error;
  }
}

/** SHA-256(tag ‖ 0x00 ‖ the rows as canonical JSON, in order of their texts). */
function rootOf(types: readonly string[], found: readonly ReportRow[]): Buffer {
  const texts = found.map((row) => canonicalJson(plainRow(row, types))).sort();
  return sha256Bytes(tagBytes(ROWS_TAG), texts.join('\n'));
}
