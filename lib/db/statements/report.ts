import { type SQL, sql } from 'drizzle-orm';
import {
  affected,
  array,
  type Database,
  json,
  maybeOne,
  one,
  rows,
  type Tx,
} from '@/lib/db/client';
import { type DatasetShape, rowsTable } from '@/lib/db/dataset-shape';
import { asCompare } from '@/lib/db/statements/evaluate';
import { fromMicros } from '@/lib/db/statements/micros';
import { columnSql, ident } from '@/lib/digest/row-encoding-sql';
import type { MapRange } from '@/lib/domain/range-map';
import type { ReportDifference, ReportRow } from '@/lib/domain/report';
import { REPORT_ROWS } from '@/lib/transform/report';

export interface NewReport {
  dataset: string;
  name: string;
  sql: string;
  digest: string;
  limitSeconds: number;
  by: string;
}

/** Saves a report in the place of the one of this name, if there is one. */
export async function insertReport(tx: Tx, report: NewReport): Promise<string> {
  await tx.execute(sql`
    update control.report set ended_by = ${report.by}, ended_at = clock_timestamp()
    where dataset = ${report.dataset} and name = ${report.name} and ended_at is null`);
  const { id } = await one<{ id: string }>(
    tx,
    sql`insert into control.report (dataset, name, sql, digest, limit_seconds, made_by)
      values (${report.dataset}, ${report.name}, ${report.sql}, ${report.digest},
        ${report.limitSeconds}, ${report.by}) returning id`,
  );
  return id;
}

/** Ends a report; false where it was ended already. */
export async function endReport(tx: Tx, id: string, by: string): Promise<boolean> {
  const ended = await affected(
    tx,
    sql`update control.report set ended_by = ${by}, ended_at = clock_timestamp()
      where id = ${id} and ended_at is null`,
  );
  return ended === 1;
}

/** Asks for readings; what is asked for and not begun yet is not asked for again. */
export async function insertShadowReads(
  tx: Tx,
  release: string,
  reports: readonly string[],
  by: string,
): Promise<string[]> {
  const asked = await rows<{ id: string }>(
    tx,
    sql`insert into control.shadow_read (release, report, asked_by)
      select ${release}, r.id, ${by} from unnest(${array(reports, 'bigint')}) as r (id) order by r.id
      on conflict (release, report) where state = 'ASKED' do nothing returning id`,
  );
  return asked.map(({ id }) => id);
}

/** A reading that is this caller's, until its lease ends. */
export interface ShadowClaim {
  id: string;
  attempt: number;
  dataset: string;
  sql: string;
  limitSeconds: number;
  old: string;
  new: string;
  /** The release's range. */
  from: string | null;
  to: string | null;
}

/** Takes a reading; null where it has ended or another process is at it. */
export function claimShadowRead(db: Database, id: string): Promise<ShadowClaim | null> {
  return maybeOne<ShadowClaim>(
    db,
    sql`update control.shadow_read s
      set state = 'READING', attempt = s.attempt + 1,
        started_at = clock_timestamp(),
        lease_until = clock_timestamp() + make_interval(secs => 2 * p.limit_seconds + 60)
      from control.report p, control.release r
      where s.id = ${id} and p.id = s.report and r.id = s.release
        and (s.state = 'ASKED' or (s.state = 'READING' and s.lease_until < clock_timestamp()))
      returning s.id, s.attempt, p.dataset, p.sql, p.limit_seconds as "limitSeconds",
        r.old_generation as old, r.generation as new, r.range_from as "from", r.range_to as "to"`,
  );
}

/** Readings that nobody is at. */
export async function dueShadowReads(db: Database): Promise<string[]> {
  const due = await rows<{ id: string }>(
    db,
    sql`select id from control.shadow_read
      where state in ('ASKED', 'READING') and (lease_until is null or lease_until < clock_timestamp())`,
  );
  return due.map(({ id }) => id);
}

/** What was read, and what it came to. */
export interface ShadowResult {
  oldProgress: readonly string[];
  newProgress: readonly string[];
  columns: readonly string[];
  old: { rows: number; root: Uint8Array; millis: number };
  new: { rows: number; root: Uint8Array; millis: number };
  differing: number;
  sample: readonly ReportDifference[];
}

/** Ends a reading that this attempt owns; otherwise nothing is written. */
export async function endShadowRead(
  db: Database,
  { id, attempt, old, new: fresh }: ShadowClaim,
  end: { result: ShadowResult } | { why: string },
): Promise<void> {
  const set: SQL =
    'why' in end
      ? sql`state = 'STOPPED', why = ${end.why}`
      : sql`state = 'COMPARED',
          old_progress = ${array(end.result.oldProgress, 'bigint')},
          new_progress = ${array(end.result.newProgress, 'bigint')},
          columns = ${array(end.result.columns, 'text')},
          old_rows = ${end.result.old.rows}, new_rows = ${end.result.new.rows},
          old_root = ${end.result.old.root}, new_root = ${end.result.new.root},
          old_millis = ${end.result.old.millis}, new_millis = ${end.result.new.millis},
          differing = ${end.result.differing}, sample = ${json(end.result.sample)}`;
  await db.execute(sql`
    update control.shadow_read set ${set}, old_generation = ${old}, new_generation = ${fresh},
      ended_at = clock_timestamp(), lease_until = null
    where id = ${id} and attempt = ${attempt} and state = 'READING'`);
}

export interface ReportLimits {
  most: number;
  mostBytes: number;
  limitSeconds: number;
}

/**
 * The result of a report on a generation, at most `most` rows of it, under the role that reads rows
 * and nothing else; null where it is larger than `mostBytes`, which then never leave the server.
 *
 * @param text of `checkReport`
 * @param map of the generation, as of this snapshot
 */
export async function readReport(
  tx: Tx,
  dataset: DatasetShape,
  map: readonly MapRange[],
  { text, columns }: { text: string; columns: readonly { name: string }[] },
  { most, mostBytes, limitSeconds }: ReportLimits,
): Promise<ReportRow[] | null> {
  const held = map.filter(({ segment }) => segment !== null);
  const bound = (instants: (bigint | null)[]) => array(instants, 'bigint');
  const values = columns.map(({ name }) => `${columnSql('o', name)}::text`).join(', ');
  const all = dataset.columns.map(({ name }) => columnSql('x', name)).join(', ');
  const found = await asCompare(tx, async (inner) => {
    await inner.execute(
      sql`select set_config('statement_timeout', ${String(limitSeconds * 1_000)}, true)`,
    );
    return rows<{ values: (string | null)[] | null }>(
      inner,
      sql`with _map as (
          select m.segment, coalesce(${fromMicros('m.lower')}, '-infinity') as lower,
            coalesce(${fromMicros('m.upper')}, 'infinity') as upper
          from unnest(${array(
            held.map(({ segment }) => segment),
            'bigint',
          )}, ${bound(held.map(({ from }) => from))}, ${bound(held.map(({ to }) => to))})
            as m (segment, lower, upper)
        ), ${sql.raw(ident(REPORT_ROWS))} as (
          select ${sql.raw(all)} from _map
          join ${sql.raw(rowsTable(dataset.name))} x on x._segment = _map.segment
            and x._partition >= _map.lower and x._partition < _map.upper
        )
        select case when sum(octet_length(w.values::text)) over () <= ${mostBytes} then w.values end
          as values
        from (select array[${sql.raw(values)}] as values from (${sql.raw(text)}) o limit ${most}) w`,
    );
  });
  const result = found.flatMap((row) => (row.values === null ? [] : [row.values]));
  return result.length === found.length ? result : null;
}
