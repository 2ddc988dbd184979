import { sql } from 'drizzle-orm';
import { type Database, maybeOne, type Tx } from '@/lib/db/client';
import { ident } from '@/lib/digest/row-encoding-sql';
import type { Grain, RunPolicy } from '@/lib/domain/dataset';
import { originOf } from '@/lib/domain/names';

export interface Column {
  name: string;
  type: string;
  nullable: boolean;
}

export interface Conserved {
  name: string;
  old: string;
  new: string;
  source?: string | undefined;
}

export interface Rollup {
  metric: string;
  sql: string;
}

export interface Policy {
  approvals: { cutover: number; rollback: number };
  leaseSeconds: number;
  rollbackWindowSeconds: number;
  executorMayApprove: boolean;
  requireDrill: boolean;
  /** Of datasets that were declared before there were drills it is not there. */
  drillMaxAgeHours?: number | undefined;
  /** Of datasets that were declared before there were runs it is not there. */
  runs?: RunPolicy | undefined;
}

/** A dataset with its source: what statements over its rows are made from. Fixed at creation. */
export interface DatasetShape {
  name: string;
  columns: Column[];
  key: string[];
  businessTime: string;
  zone: string;
  unit: 'hour' | 'day' | 'week' | 'month';
  grain: Grain;
  sourceTime: string | null;
  conserved: Conserved[];
  rollups: Rollup[];
  policy: Policy;
  source: SourceShape;
}

export interface SourceShape {
  name: string;
  columns: Column[];
  key: string[];
  eventTime: string | null;
  shards: number;
  complete: boolean;
}

/** `"ds_<dataset>".rows`, quoted; of a fork, its origin's: what tells them apart is the segment. */
export const rowsTable = (dataset: string) => `${ident(`ds_${originOf(dataset)}`)}.rows`;
/** `"src_<source>".snapshot_row`, quoted. */
export const snapshotTable = (source: string) => `${ident(`src_${source}`)}.snapshot_row`;

export async function loadDataset(tx: Database | Tx, name: string): Promise<DatasetShape | null> {
  const found = await maybeOne<Record<string, never>>(
    tx,
    sql`select d.name, d.columns, d.key, d.business_time as "businessTime", d.timezone as zone,
        d.partition as unit, d.grain, d.source_time as "sourceTime", d.conserved, d.rollups, d.policy,
        jsonb_build_object('name', s.name, 'columns', s.columns, 'key', s.key,
          'eventTime', s.event_time, 'shards', s.shards, 'complete', s.complete) as source
      from control.dataset d join control.source s on s.name = d.source where d.name = ${name}`,
  );
  return found as DatasetShape | null;
}

export async function loadSource(tx: Database | Tx, name: string): Promise<SourceShape | null> {
  const found = await maybeOne<Record<string, never>>(
    tx,
    sql`select name, columns, key, event_time as "eventTime", shards, complete
      from control.source where name = ${name}`,
  );
  return found as SourceShape | null;
}
