import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import { claimRange, releasable } from '@/lib/domain/range-claims';
import { EXIT, RangeFault } from './fault';
import { checkFits, type Figures, sum } from './figures';

/** `daily` has no key: that a partition has one row is what replacing it whole has to see to. */
const TABLES = `
  create table if not exists daily (dt text, orders integer, amount integer, owner text);
  create table if not exists rollup (metric text primary key, value integer);
  create table if not exists claims (dt text primary key, owner text);
  create table if not exists seals (dt text primary key);
  create table if not exists corrections (
    dt text, orders_before integer, amount_before integer,
    orders_after integer, amount_after integer, reason text
  );
`;
const TABLE_NAMES = ['claims', 'corrections', 'daily', 'rollup', 'seals'];

/** How long a process waits for another one's transaction, in milliseconds. */
const BUSY_TIMEOUT = 60_000;

export interface DailyRow extends Figures {
  readonly dt: string;
  readonly owner: string;
}

export interface Correction {
  readonly dt: string;
  readonly before: Figures;
  readonly after: Figures;
  readonly reason: string;
}

/**
 * The state store. Its journal is SQLite's default, not the write-ahead log: between commands the
 * store is one file that can be copied, mailed and read anywhere. Whoever writes takes the write
 * lock first (`begin immediate`), so what he decides by cannot change before he has written.
 */
export class RangeStore {
  private constructor(private readonly db: Database.Database) {
    db.defaultSafeIntegers(true);
  }

  /** Makes the tables that are not there yet. */
  static create(file: string): RangeStore {
    mkdirSync(path.dirname(file), { recursive: true });
    const store = new RangeStore(connect(file));
    try {
      store.write(() => store.db.exec(TABLES));
    } catch (error) {
      store.close();
      throw error;
    }
    return store;
  }

  /**
   * Opens a store that `create` has made.
   *
   * @throws RangeFault (noStore) where there is none
   */
  static open(file: string): RangeStore {
    // libsql would make the file.
    if (!existsSync(file)) throw noStore(file, 'there is no such file');
    const db = connect(file);
    try {
      const tables = db.prepare("select name from sqlite_master where type = 'table'").all();
      const names = new Set((tables as { name: string }[]).map(({ name }) => name));
      const missing = TABLE_NAMES.filter((name) => !names.has(name));
      if (missing.length > 0) throw noStore(file, `it lacks the tables ${missing.join(', ')}`);
    } catch (error) {
      db.close();
      if (codeOf(error) === 'SQLITE_NOTADB') throw noStore(file, 'it is not a SQLite file');
      throw error;
    }
    return new RangeStore(db);
  }

  /** Whether nothing was ever done in it. */
  isEmpty(): boolean {
    return TABLE_NAMES.every((name) => this.rows(`select 1 from ${name} limit 1`).length === 0);
  }

  close(): void {
    this.db.close();
  }

  /** Several reads of one state of the store. */
  read<Result>(act: () => Result): Result {
    return this.transaction('deferred', act);
  }

  claims(): Map<string, string> {
    const rows = this.rows<{ dt: string; owner: string }>('select dt, owner from claims');
    return new Map(rows.map(({ dt, owner }) => [dt, owner]));
  }

  seals(): string[] {
    return this.rows<{ dt: string }>('select dt from seals order by dt').map(({ dt }) => dt);
  }

  /** The partitions' rows in the order in which they were last written. */
  daily(): DailyRow[] {
    return this.rows('select dt, orders, amount, owner from daily order by rowid');
  }

  corrections(): Correction[] {
    return this.rows<Record<string, bigint> & { dt: string; reason: string }>(
      'select * from corrections order by rowid',
    ).map((row) => ({
      dt: row.dt,
      before: figuresOf(row.orders_before, row.amount_before),
      after: figuresOf(row.orders_after, row.amount_after),
      reason: row.reason,
    }));
  }

  /**
   * Replaces a partition whole, in a transaction of its own: all of its rows go, one comes.
   *
   * @param count gives what to write, or null where nothing is to be written; it is asked when
   *   nobody else can write any more, so that of two runs the later one has read the later file
   * @returns what was written; `sealed` where that has happened since the run looked: what was sent
   *   stays as it is
   */
  replace(dt: string, owner: string, count: () => Figures | null): Figures | 'sealed' | null {
    return this.write(() => {
      if (this.isSealed(dt)) return 'sealed';
      const figures = count();
      if (figures === null) return null;
      this.db.prepare('delete from daily where dt = ?').run([dt]);
      this.insertDaily({ dt, owner, ...figures });
      return figures;
    });
  }

  /** Adds rows to `daily` as they are. */
  copyDaily(rows: readonly DailyRow[]): void {
    this.write(() => {
      for (const row of rows) this.insertDaily(row);
    });
  }

  claim(dates: readonly string[], owner: string) {
    return this.write(() => {
      const outcome = claimRange(dates, owner, this.claims());
      const insert = this.db.prepare('insert into claims (dt, owner) values (?, ?)');
      for (const dt of outcome.taken) insert.run([dt, owner]);
      return outcome;
    });
  }

  /** @returns the dates let go of */
  release(dates: readonly string[], owner: string): string[] {
    return this.write(() => {
      const released = releasable(dates, owner, this.claims());
      const remove = this.db.prepare('delete from claims where dt = ? and owner = ?');
      for (const dt of released) remove.run([dt, owner]);
      return released;
    });
  }

  seal(dates: readonly string[]): void {
    this.write(() => {
      const insert = this.db.prepare('insert into seals (dt) values (?) on conflict do nothing');
      for (const dt of dates) insert.run([dt]);
    });
  }

  isSealed(dt: string): boolean {
    return this.rows('select dt from seals where dt = ?', [dt]).length > 0;
  }

  /** Puts what a sealed partition's figures would be now beside what `daily` holds of it. */
  correct(dt: string, after: Figures, reason: string): Correction {
    return this.write(() => {
      const before = sum(this.rows<Figures>('select orders, amount from daily where dt = ?', [dt]));
      checkFits(before, `daily of ${dt}`);
      this.db
        .prepare('insert into corrections values (?, ?, ?, ?, ?, ?)')
        .run([dt, before.orders, before.amount, after.orders, after.amount, reason]);
      return { dt, before, after, reason };
    });
  }

  /** The totals as they are stored; null before the first. */
  rollup(): Figures | null {
    const rows = this.rows<{ metric: string; value: bigint }>('select metric, value from rollup');
    if (rows.length === 0) return null;
    const values = new Map(rows.map(({ metric, value }) => [metric, value]));
    return figuresOf(values.get('order_total'), values.get('amount_total'));
  }

  /** The totals as they follow from `daily`. Summed here: SQLite's own sum is no wider than it. */
  derive(): Figures {
    return sum(this.rows<Figures>('select orders, amount from daily'));
  }

  /** Adds a range's totals to the stored ones: the wrong way, which a backfill doubles. */
  addToRollup(from: string, to: string): Figures {
    return this.write(() => {
      const range = this.rows<Figures>(
        'select orders, amount from daily where dt between ? and ?',
        [from, to],
      );
      return this.putRollup(sum([this.rollup() ?? figuresOf(0n, 0n), ...range]));
    });
  }

  /** Puts the derived totals over the stored ones: the right way. */
  deriveRollup(): Figures {
    return this.write(() => this.putRollup(this.derive()));
  }

  private putRollup(totals: Figures): Figures {
    checkFits(totals, 'the totals');
    const put = this.db.prepare(
      `insert into rollup (metric, value) values (?, ?)
       on conflict (metric) do update set value = excluded.value`,
    );
    put.run(['order_total', totals.orders]);
    put.run(['amount_total', totals.amount]);
    return totals;
  }

  private insertDaily({ dt, orders, amount, owner }: DailyRow): void {
    this.db
      .prepare('insert into daily (dt, orders, amount, owner) values (?, ?, ?, ?)')
      .run([dt, orders, amount, owner]);
  }

  private rows<Row>(sql: string, values: unknown[] = []): Row[] {
    return this.db.prepare(sql).all(values) as Row[];
  }

  private write<Result>(act: () => Result): Result {
    return this.transaction('immediate', act);
  }

  private transaction<Result>(kind: 'deferred' | 'immediate', act: () => Result): Result {
    this.db.exec(`begin ${kind}`);
    try {
      const result = act();
      this.db.exec('commit');
      return result;
    } catch (error) {
      // SQLite has rolled back by itself where the disk is full; a second time is an error.
      if (this.db.inTransaction) this.db.exec('rollback');
      throw error;
    }
  }
}

function connect(file: string): Database.Database {
  return new Database(file, { timeout: BUSY_TIMEOUT });
}

function figuresOf(orders: bigint | undefined, amount: bigint | undefined): Figures {
  return { orders: orders ?? 0n, amount: amount ?? 0n };
}

function noStore(file: string, why: string): RangeFault {
  return new RangeFault(`no state store at ${file}: ${why}; "init" makes one`, EXIT.noStore);
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
