import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { affected, type Database, maybeOne, one } from '@/lib/db/client';
import { as, till } from '@/lib/demo/cast';
import { claim, releaseClaims } from '@/lib/services/claims';
import { applyDataset } from '@/lib/services/dataset';
import { switchStream } from '@/lib/services/demo';
import { amend, publish } from '@/lib/services/publication';
import { createRelease, findRelease, moves } from '@/lib/services/release';
import { askRun } from '@/lib/services/runs';
import { appendEvents, applySource } from '@/lib/services/source';
import * as data from './data';

/** Where the benchmark's weight lies; what the routes are made of. */
export interface Places {
  release: string;
  dataset: string;
  source: string;
  /** Planned, not built: 50,000 partitions. */
  wide: string;
  /** Dataset of the wide release. */
  long: string;
  draft: string;
  /** A dataset of which a year is published. */
  published: string;
  /** Start of a published partition with corrections. */
  sealedStart: string;
  /** A run over many partitions. */
  run: string;
}

const marker = 'bench.console';
const earlierReleases = 150;
const amended = 300;
const lateLines = 3_000;
const runs = 60;
const claimPairs = 1_000;

/**
 * Makes what the pages are measured on, by the verbs that people use, while the job runner does its
 * part; once, unless the folder is thrown away. Takes some minutes.
 */
export async function makeWorld(db: Database, print: (line: string) => void): Promise<Places> {
  const known = await maybeOne<{ places: Places }>(
    db,
    sql`select value as places from control.setting where name = ${marker}`,
  );
  if (known) return known.places;
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = Date.now();
    const answer = await work();
    print(`  ${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
    return answer;
  };
  await switchStream(await as(db, 'admin'), { on: false });
  await step('420,480 events in the log, and two datasets of them', () => history(db));
  await step('a published year', () => published(db));
  await step(`${lateLines} late lines, ${amended} corrections`, () => corrected(db));
  await step('claims, and an audit chain', () => claims(db));
  const run = await step(`${runs} runs`, () => ranges(db));
  await step(`${earlierReleases} releases that came to nothing`, () => attempts(db));
  await step('8,760 partitions built and reconciled', () => rehearsed(db));
  await step('50,000 partitions planned', () => planned(db));
  await affected(db, sql`analyze`);
  const places: Places = {
    release: data.fix.release,
    dataset: data.tax.name,
    source: data.source.name,
    wide: data.wide.release,
    long: data.long.name,
    draft: data.earlier(earlierReleases).release,
    published: data.net.name,
    sealedStart: data.hourStart(0),
    run,
  };
  await affected(
    db,
    sql`insert into control.setting (name, value, changed_by)
      values (${marker}, ${JSON.stringify(places)}::jsonb, 'system')`,
  );
  return places;
}

const lines = data.HOURS * data.LINES_AN_HOUR;

async function history(db: Database): Promise<void> {
  const admin = await as(db, 'admin');
  await applySource(admin, data.source);
  await append(
    db,
    Array.from({ length: lines }, (_, n) => n),
    1,
  );
  await applyDataset(admin, data.tax);
  await applyDataset(admin, data.net);
  await applied(db);
}

async function append(db: Database, numbers: readonly number[], revision: number): Promise<void> {
  for (let i = 0; i < numbers.length; i += 10_000) {
    const events = numbers.slice(i, i + 10_000).map((n) => data.lineEvent(n, revision));
    await appendEvents(till(db), { source: data.source.name, events });
  }
}

async function published(db: Database): Promise<void> {
  const owner = await as(db, 'owner');
  for (let from = 0; from < data.HOURS; from += 730) {
    await publish(owner, {
      dataset: data.net.name,
      from: data.hourStart(from),
      to: data.hourStart(from + 730),
      sentTo: 'the tax office',
    });
  }
}

async function corrected(db: Database): Promise<void> {
  const step = Math.floor(lines / lateLines);
  await append(
    db,
    Array.from({ length: lateLines }, (_, n) => n * step),
    2,
  );
  await applied(db);
  const owner = await as(db, 'owner');
  for (let n = 0; n < amended; n++) {
    await amend(owner, {
      dataset: data.net.name,
      partition: data.hourStart(n < 40 ? 0 : n * 3),
      reason: `lines told late, ${n}`,
    });
  }
}

async function claims(db: Database): Promise<void> {
  const oncall = await as(db, 'oncall');
  const hour = (n: number) => ({
    dataset: data.net.name,
    from: data.hourStart(n),
    to: data.hourStart(n + 1),
  });
  for (let n = 0; n < claimPairs; n++) {
    await claim(oncall, hour(n));
    await releaseClaims(oncall, hour(n));
  }
  for (let n = 0; n < 200; n++) await claim(oncall, hour(8_000 + n * 3));
}

async function ranges(db: Database): Promise<string> {
  const owner = await as(db, 'owner');
  let first = '';
  for (let n = 0; n < runs; n++) {
    const dataset = n % 3 === 0 ? data.tax.name : data.net.name;
    const hours = n === 1 ? 2_000 : 24;
    const { id } = await askRun(owner, {
      dataset,
      from: data.hourStart(n * 24),
      to: data.hourStart(n * 24 + hours),
    });
    if (n === 1) first = id;
  }
  await until(
    db,
    'the runs',
    sql`not exists (select from control.run where state in ('planned', 'running'))`,
  );
  return first;
}

async function attempts(db: Database): Promise<void> {
  const owner = await as(db, 'owner');
  for (let n = 0; n <= earlierReleases; n++) {
    const { release } = data.earlier(n);
    await createRelease(owner, data.earlier(n));
    if (n < earlierReleases) {
      await moves.abandon(owner, { release, reason: 'the rate of another country' });
    }
  }
}

async function rehearsed(db: Database): Promise<void> {
  const owner = await as(db, 'owner');
  const { release } = data.fix;
  await createRelease(owner, data.fix);
  await moves.pin(owner, { release });
  await moves.build(owner, { release });
  const { id } = await findRelease(db, release);
  await until(
    db,
    'the build',
    sql`(select count(*) = ${data.HOURS} from control.receipt where release = ${id})`,
  );
  await moves.rehearse(owner, { release });
  await until(
    db,
    'the rehearsal',
    sql`exists (select from control.reconciliation
      where release = ${id} and verdict in ('passed', 'failed'))`,
  );
}

async function planned(db: Database): Promise<void> {
  const admin = await as(db, 'admin');
  await applySource(admin, data.longSource);
  await appendEvents(till(db), {
    source: data.longSource.name,
    events: Array.from({ length: 100 }, (_, n) => data.lineEvent(n * 4_000)),
  });
  await applyDataset(admin, data.long);
  await applied(db);
  const owner = await as(db, 'owner');
  await createRelease(owner, data.wide);
  await moves.pin(owner, { release: data.wide.release });
}

/** Every dataset has applied its log to the end. */
function applied(db: Database): Promise<void> {
  return until(
    db,
    'live writing',
    sql`not exists (select from control.dataset d
      join control.registry r on r.dataset = d.name
      left join control.generation_progress p on p.generation = r.active_generation
      join control.source_shard s on s.source = d.source
      where d.fork_of is null and s.last_offset > coalesce(p.offsets[s.shard + 1], 0))`,
  );
}

async function until(db: Database, what: string, condition: ReturnType<typeof sql>): Promise<void> {
  for (const end = Date.now() + 3_600_000; Date.now() < end; await wait(500)) {
    if ((await one<{ so: boolean }>(db, sql`select ${condition} as so`)).so) return;
  }
  throw new Error(`${what} took longer than an hour`);
}
