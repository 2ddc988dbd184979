import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import type { CheckView } from '@/lib/queries/checks';
import { readOnce } from '@/lib/queries/kept';
import {
  type ColumnFigures,
  type ConservedFigures,
  columnsOf,
  comparedPartitions,
  conservedOf,
  type DiffGroup,
  groupsOf,
  type HeatFigures,
  heatOf,
  type PeriodFigures,
  periodsOf,
  type RunTotals,
  totalsOf,
} from '@/lib/queries/reconciliation-figures';
import {
  type AcceptanceView,
  acceptancesOf,
  type DriftPartition,
  driftPartitions,
  type QuarantineItem,
  quarantineOf,
} from '@/lib/queries/reconciliation-findings';
import { type RunView, runsOf } from '@/lib/queries/reconciliation-runs';
import { type ReleaseBasis, releaseBasis } from '@/lib/queries/release-basis';

export interface RuleView {
  rule: string;
  where: string;
  columns: string[];
}

export interface DatasetColumn {
  name: string;
  type: string;
  nullable: boolean;
}

/** One comparison with everything that it found. */
export interface RunFindings {
  run: RunView;
  totals: RunTotals;
  groups: DiffGroup[];
  columns: ColumnFigures[];
  conserved: ConservedFigures[];
  checks: CheckView[];
  periods: PeriodFigures[];
  heat: HeatFigures;
  /** Ends of the partitions that checks name, and of the one that was asked for. */
  named: { start: string; end: string }[];
  drift: DriftPartition[];
}

export interface ReconciliationPage extends ReleaseBasis {
  columns: DatasetColumn[];
  /** Columns of the business key. */
  key: string[];
  businessTime: string;
  rules: RuleView[];
  contract: { name: string; max: number | null; column: string | null }[];
  runs: RunView[];
  /** Null until a comparison has ended. */
  found: RunFindings | null;
  quarantine: QuarantineItem[];
  quarantined: number;
  acceptances: AcceptanceView[];
  rehearsalAskedAt: string | null;
  rehearsalAskedBy: string | null;
  planned: number;
  receipts: number;
  /** Seconds since the last receipt was written. */
  lastReceiptAt: string | null;
}

/** A half-open interval of partitions' starts. */
type Within = { from: string; to: string } | null;

interface Wanted {
  run?: string | undefined;
  partition?: string | undefined;
  heat?: Within;
}

interface FixedRow {
  columns: DatasetColumn[];
  key: string[];
  businessTime: string;
  rules: RuleView[] | null;
  contract: { check: string; column?: string; name?: string; max?: number }[] | null;
  candidate: string | null;
  rehearsalAskedAt: string | null;
  rehearsalAskedBy: string | null;
  quarantined: number;
  planned: number;
  receipts: number;
  lastReceiptAt: string | null;
}

/**
 * What comparing old and candidate generation came to.
 *
 * @param wanted id of one comparison, the newest that has ended where it is left out or unknown; the
 *   start of a partition to name the end of; and the partitions that the picture of differences is
 *   drawn of, all where it is left out
 * @throws NotFound
 */
export async function reconciliationPage(
  db: Database | Tx,
  reference: string,
  wanted: Wanted = {},
): Promise<ReconciliationPage> {
  const basis = await releaseBasis(db, reference);
  const { candidate, rules, contract, ...fixed } = await fixedOf(db, basis.id);
  const runs = await runsOf(db, basis.id);
  const ended = runs.filter((run) => run.verdict !== 'running');
  const shown = ended.find((run) => run.id === wanted.run) ?? ended[0];
  const nullable = fixed.columns.filter((c) => c.nullable).map((c) => c.name);
  return {
    ...basis,
    ...fixed,
    rules: rules ?? [],
    contract: (contract ?? []).map((item) => ({
      name: item.name ?? `${item.check}(${item.column})`,
      max: item.max ?? null,
      column: item.column ?? null,
    })),
    runs,
    found: shown
      ? await findingsOf(db, shown, {
          zone: basis.zone,
          columns: fixed.columns.map(({ name }) => name),
          nullable,
          partition: wanted.partition,
          heat: wanted.heat ?? null,
        })
      : null,
    quarantine: candidate === null ? [] : await quarantineOf(db, candidate),
    acceptances: await acceptancesOf(db, basis.id),
  };
}

function fixedOf(db: Database | Tx, id: string): Promise<FixedRow> {
  return one<FixedRow>(
    db,
    sql`select d.columns, d.key, d.business_time as "businessTime", r.spec -> 'expectedDiff' as rules,
        r.spec -> 'contract' as contract, r.generation as candidate,
        r.rehearse_asked_at as "rehearsalAskedAt", r.rehearse_asked_by as "rehearsalAskedBy",
        (select count(*)::int from control.quarantine q where q.generation = r.generation)
          as quarantined,
        (select count(*)::int from control.release_partition p where p.release = r.id) as planned,
        (select count(*)::int from control.receipt t where t.release = r.id) as receipts,
        (select max(t.at) from control.receipt t where t.release = r.id) as "lastReceiptAt"
      from control.release r join control.dataset d on d.name = r.dataset where r.id = ${id}`,
  );
}

async function findingsOf(
  db: Database | Tx,
  run: RunView,
  wanted: {
    zone: string;
    columns: readonly string[];
    nullable: readonly string[];
    partition: string | undefined;
    heat: Within;
  },
): Promise<RunFindings> {
  const { heat, columns, nullable, zone } = wanted;
  const ended = run.verdict === 'passed' || run.verdict === 'failed';
  const once = <T>(key: string, read: () => Promise<T>) =>
    ended ? readOnce(db, `reconciliation ${run.id} ${key}`, read) : read();
  const found = await once('findings', async () => {
    const totals = await totalsOf(db, run.id);
    const { partitions } = totals;
    return {
      totals,
      groups: await groupsOf(db, run.id),
      columns: await columnsOf(db, run.id, columns),
      conserved: await conservedOf(db, run.id),
      checks: await checksOf(db, run),
      periods: await periodsOf(db, run.id, { zone, nullable, partitions }),
      drift: await driftPartitions(db, run.id),
    };
  });
  return {
    run,
    ...found,
    heat: await once(`heat ${heat?.from} ${heat?.to}`, () => heatOf(db, run.id, heat)),
    named: await comparedPartitions(db, run.id, [
      ...found.checks.flatMap((check) => namedIn(check).slice(0, NAMED)),
      ...(wanted.partition === undefined ? [] : [wanted.partition]),
    ]),
  };
}

function checksOf(db: Database | Tx, run: RunView): Promise<CheckView[]> {
  return rows(
    db,
    sql`select name, verdict, figure, expected, detail, digest, at, reconciliation,
        ${run.kind}::text as kind
      from control.check_result where reconciliation = ${run.id} order by position, name`,
  );
}

/** How many partitions of a failed check are named. */
export const NAMED = 3;

/** Starts of the partitions in which a check failed, as its detail lists them. */
export function namedIn({ detail }: CheckView): readonly string[] {
  const lists = detail as { differing?: string[]; off?: string[]; wrong?: string[] } | null;
  return lists?.differing ?? lists?.off ?? lists?.wrong ?? [];
}
