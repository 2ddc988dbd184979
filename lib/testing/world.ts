import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { type Database, one, rows } from '@/lib/db/client';
import type { Move } from '@/lib/domain/lifecycle';
import type { Role } from '@/lib/domain/permissions';
import { catalog } from '@/lib/runner/catalog';
import { applyLive } from '@/lib/services/apply/apply-live';
import type { Ctx } from '@/lib/services/context';
import { applyDataset } from '@/lib/services/dataset';
import { createRelease, moves } from '@/lib/services/release';
import { appendEvents, applySource } from '@/lib/services/source';

/** People of the tests' stories and what they may do; `both` wrote and may sign. */
export const cast = {
  ana: ['owner'],
  bo: ['approver'],
  cyd: ['approver'],
  dee: ['oncall'],
  eve: ['auditor'],
  root: ['admin'],
  both: ['owner', 'approver', 'oncall'],
  feed: ['writer'],
  reader: ['reader'],
} as const satisfies Record<string, readonly Role[]>;

export type Person = keyof typeof cast;

/** Writes the cast into a database. */
export async function castPeople(db: Database): Promise<void> {
  for (const [name, roles] of Object.entries(cast)) {
    await db.execute(
      sql`insert into control.person (name, display_name) values (${name}, ${name})`,
    );
    for (const role of roles) {
      await db.execute(
        sql`insert into control.person_role (person, role) values (${name}, ${role})`,
      );
    }
  }
}

/** A call by one of the cast, on any connection. */
export const as = (db: Database, person: Person): Ctx => ({
  db,
  actor: { person, roles: cast[person], via: 'api', session: null },
  requestId: randomUUID(),
});

/** Order lines of a shop: what most tests are told with. */
export const orders = {
  source: {
    name: 'orders',
    columns: [
      { name: 'line', type: 'text', nullable: false },
      { name: 'quantity', type: 'integer', nullable: true },
      { name: 'unit_price', type: 'numeric', nullable: true },
      { name: 'country', type: 'text', nullable: true },
      { name: 'invoiced_at', type: 'timestamptz', nullable: true },
    ],
    key: ['line'],
    eventTime: 'invoiced_at',
  },
  dataset: {
    name: 'order_tax',
    source: 'orders',
    columns: [
      { name: 'line', type: 'text' },
      { name: 'invoiced_at', type: 'timestamptz' },
      { name: 'country', type: 'text' },
      { name: 'net', type: 'numeric(14,3)' },
      { name: 'tax', type: 'numeric(14,2)' },
    ],
    key: ['line'],
    businessTime: 'invoiced_at',
    timezone: 'Europe/London',
    partition: 'day',
    transform: { sql: taxSql('0.175') },
    conserved: [
      { name: 'net', old: 'sum(net)', new: 'sum(net)', source: 'sum(quantity * unit_price)' },
    ],
    rollups: [
      { metric: 'tax', sql: 'sum(tax)' },
      { metric: 'lines', sql: 'count(*)' },
    ],
    policy: {
      approvals: { cutover: 2, rollback: 1 },
      leaseSeconds: 900,
      rollbackWindowSeconds: 86_400,
      executorMayApprove: false,
    },
  },
};

export function taxSql(rate: string): string {
  return `select line, invoiced_at, country, quantity * unit_price as net,
    round(quantity * unit_price * ${rate}, 2) as tax from source`;
}

/** The release that repairs the rate over a range. */
export const vatFix = (
  range: { from: string; to: string },
  more: Record<string, unknown> = {},
) => ({
  release: 'vat-fix',
  dataset: 'order_tax',
  range,
  source: { name: 'orders' },
  transform: { new: { sql: taxSql('0.20') } },
  targetGeneration: 'vat-fix-g2',
  expectedDiff: [{ rule: 'vat-20', where: 'new.tax = round(old.net * 0.20, 2)', columns: ['tax'] }],
  budget: { maxLiveLagSeconds: 3600 },
  ...more,
});

export interface Line {
  line: string;
  at: string;
  quantity?: number;
  price?: string;
  country?: string | null;
  revision?: number;
  op?: 'upsert' | 'delete';
}

/** One event of the shop's source. */
export function event({
  line,
  at,
  quantity = 1,
  price = '10.00',
  country = 'UK',
  revision = 1,
  op = 'upsert',
}: Line) {
  return {
    eventId: `${line}-r${revision}`,
    key: line,
    revision,
    op,
    payload:
      op === 'delete' ? undefined : { line, quantity, unit_price: price, country, invoiced_at: at },
  };
}

export class World {
  readonly db: Database;
  readonly worker = `test-${randomUUID().slice(0, 8)}`;

  constructor(db: Database) {
    this.db = db;
  }

  /** The cast, the shop's source and the dataset with the bug. */
  async shop(dataset: Record<string, unknown> = {}): Promise<void> {
    await castPeople(this.db);
    await applySource(as(this.db, 'root'), orders.source);
    await applyDataset(as(this.db, 'root'), { ...orders.dataset, ...dataset });
  }

  append(events: readonly unknown[], source = 'orders') {
    return appendEvents(as(this.db, 'feed'), { source, events });
  }

  /** Applies the log until a dataset's generation in use has reached its end, or is sealed. */
  async live(dataset = 'order_tax'): Promise<void> {
    for (;;) {
      const outcome = await applyLive(this.db, dataset, null, { wait: true });
      if (outcome.kind === 'reopened') continue;
      if (outcome.kind !== 'applied' || outcome.caughtUp) return;
    }
  }

  /** Does what the runner would, until nothing of a release is due. */
  async work(reference: string): Promise<void> {
    const [name, revision] = reference.split('@');
    const { id } = await one<{ id: string }>(
      this.db,
      sql`select id from control.release where name = ${name} and revision = ${revision}`,
    );
    const context = {
      db: this.db,
      worker: this.worker,
      log: pino({ level: 'silent' }),
      stopping: () => false,
    };
    await catalog.advance?.run(context, { release: id } as never);
    const planned = await rows(
      this.db,
      sql`select 1 from control.release_partition where release = ${id} and state = 'planned' limit 1`,
    );
    if (planned.length === 0) return;
    await catalog.build?.run(context, { release: id } as never);
    await catalog.advance?.run(context, { release: id } as never);
  }

  move(
    person: Person,
    move: Move,
    release: string,
    body: Record<string, unknown> = {},
  ): Promise<void> {
    return moves[move](as(this.db, person), { release, ...body } as never);
  }

  async draft(spec: unknown, person: Person = 'ana'): Promise<string> {
    const { name, revision } = await createRelease(as(this.db, person), spec);
    return `${name}@${revision}`;
  }

  /** Draft, pin, build and rehearse: up to the seal. */
  async rehearsed(spec: unknown): Promise<string> {
    const release = await this.draft(spec);
    await this.move('ana', 'pin', release);
    await this.move('ana', 'build', release);
    await this.work(release);
    await this.move('ana', 'rehearse', release);
    await this.work(release);
    return release;
  }

  /** On from the rehearsal to RECONCILED; answers the evidence. */
  async reconciled(release: string): Promise<string> {
    await this.move('dee', 'seal', release);
    await this.work(release);
    return this.evidence(release);
  }

  async evidence(release: string): Promise<string> {
    const [name, revision] = release.split('@');
    const { evidence } = await one<{ evidence: string | null }>(
      this.db,
      sql`select evidence from control.release where name = ${name} and revision = ${revision}`,
    );
    if (evidence === null) throw new Error(`${release} has no evidence`);
    return evidence;
  }

  /** Two signatures for the cutover and one for the rollback. */
  async sign(release: string): Promise<void> {
    const evidence = await this.evidence(release);
    await this.move('bo', 'approve', release, { evidence, statement: 'read it' });
    await this.move('cyd', 'approve', release, { evidence, statement: 'read it too' });
    await this.move('bo', 'sign-rollback', release, { evidence });
  }

  async state(release: string): Promise<string> {
    const [name, revision] = release.split('@');
    const found = await one<{ state: string }>(
      this.db,
      sql`select state from control.release where name = ${name} and revision = ${revision}`,
    );
    return found.state;
  }

  /** What readers get now, through the view, by key. */
  async served(dataset = 'order_tax'): Promise<Record<string, Record<string, unknown>>> {
    const found = await rows<Record<string, unknown>>(
      this.db,
      sql.raw(`select * from read."${dataset}" order by 1`),
    );
    return Object.fromEntries(found.map((row) => [String(row.line), row]));
  }
}
