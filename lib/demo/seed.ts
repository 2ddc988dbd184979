import { sql } from 'drizzle-orm';
import { affected, type Database, json, maybeOne, type Tx } from '@/lib/db/client';
import { loadDataset } from '@/lib/db/dataset-shape';
import { transaction } from '@/lib/db/transaction';
import { applyDataset } from '@/lib/services/dataset';
import { demoSettings, turnsOfOneSwitch } from '@/lib/services/demo/setting';
import { ensurePersonas } from '@/lib/services/people';
import { appendEvents, applySource } from '@/lib/services/source';
import { as, till } from './cast';
import {
  abandoned,
  built,
  cutOver,
  draft,
  marked,
  readBefore,
  rehearsed,
  rejected,
  retired,
  rolledBack,
  watched,
} from './chapter';
import { amended, runAgain, sentOut } from './days';
import { lastDay, shopHistory, type Told } from './shop/history';
import { lateLines } from './shop/late-lines';
import { dayOf } from './shop/opening';
import { orderLineEvents } from './shop/order-lines';
import { daily, orderLines, orders, orderTax, returns } from './story/datasets';
import * as story from './story/releases';
import { applyAll } from './work';

/** Says what is being done: one line for a person. */
export type Say = (line: string) => void;

/**
 * Makes the demo where it is not there yet: a shop's order lines over thirteen months, a dataset
 * that taxes them with the rate of before 2011-01-04, and the releases that tried to repair it, all
 * by the verbs that people use and the code that the job runner runs. Takes some ten seconds once;
 * afterwards it reads one row.
 *
 * The marker row is written last. A start that was killed on the way is gone on with: every step
 * looks what is there first, and events that were appended already are duplicates.
 */
export async function seedDemo(db: Database, say: Say = () => {}): Promise<void> {
  if (await isSeeded(db)) return;
  await ensurePersonas(db);
  const shop = new Shop(db);
  await shop.open();

  say('Demo: a shop’s first year of order lines');
  await shop.tell('2011-12-12');
  await declare(db, orderTax(0));
  await declare(db, returns);
  await applyAll(db, orders.name);

  say('Demo: vat-stop@1 makes the rate right from 10 December on');
  await built(db, story.vatStop);
  await rehearsed(db, story.vatStop.release);
  await cutOver(db, story.vatStop.release, {
    approver: 'Three days, every change is the rate. Read the first ten lines of each.',
    approver2: 'Agreed; the old rate is gone from 10 December on.',
  });
  await shop.tell('2011-12-14');
  await retired(db, story.vatStop.release);
  await keepReplacedGenerations(db);

  say('Demo: net-pennies@1 loses fractions of pennies, and is abandoned');
  await built(db, story.netPennies);
  await rehearsed(db, story.netPennies.release);
  await abandoned(
    db,
    story.netPennies.release,
    'BUILDING',
    'Net is not conserved: prices per box have three decimals, and rounding them loses money.',
  );

  say('Demo: vat-fix@1 begins a month too early, and is rejected');
  await built(db, story.vatFixTooEarly);
  await rehearsed(db, story.vatFixTooEarly.release);
  await rejected(
    db,
    story.vatFixTooEarly.release,
    'The rate rose on 4 January 2011 at 00:00. This range begins on 1 December: it would charge a month at 20 % that was sold at 17.5 %.',
  );

  say('Demo: vat-fix@2 forgets the gross, and is rolled back');
  await built(db, story.vatFixWithoutGross);
  await shop.tell('2011-12-16');
  await rehearsed(db, story.vatFixWithoutGross.release);
  await cutOver(db, story.vatFixWithoutGross.release, {
    approver: 'Tax is 20 % of net in every changed line, and net is conserved.',
    approver2: '87 of 87 partitions, 0 unexplained.',
  });
  await shop.tell('2011-12-21');
  await watched(db, story.vatFixWithoutGross.release);
  await rolledBack(
    db,
    story.vatFixWithoutGross.release,
    'Gross is not net + tax: the till’s totals and ours differ by the new tax.',
  );

  say('Demo: vat-fix@3 repairs both, and is ready to be sealed, signed and cut over');
  await built(db, story.vatFix);
  await marked(db, story.oldRate);
  await shop.tell(lastDay);
  await rehearsed(db, story.vatFix.release);
  await readBefore(db, story.vatFix.release, story.reports);
  await draft(db, story.countryNames);
  await abandoned(
    db,
    story.countryNames.release,
    'DRAFT',
    'Customs reports still ask for EIRE; the reports change first.',
  );
  await draft(db, story.returnsPostage);

  say('Demo: a second shop’s order lines, of which each day is one row');
  await tellDays(db);
  say('Demo: its first week is sent out, and corrected');
  await sentOut(db, daily.name);
  await appendEvents(till(db), { source: orderLines.name, events: lateLines() });
  await applyAll(db, orderLines.name);
  await amended(db, daily.name);
  await runAgain(db, daily.name);
  await transaction(db, markSeeded);
}

async function isSeeded(db: Database): Promise<boolean> {
  const found = await maybeOne(
    db,
    sql`select 1 from control.setting where name = ${demoSettings.seeded}`,
  );
  return found !== null;
}

async function markSeeded(tx: Tx): Promise<void> {
  const settings = [
    [demoSettings.turn, { next: 1, left: turnsOfOneSwitch }],
    [demoSettings.stream, { on: true }],
    [demoSettings.seeded, { version: 1 }],
  ] as const;
  for (const [name, value] of settings) {
    await affected(
      tx,
      sql`insert into control.setting (name, value, changed_by)
        values (${name}, ${json(value)}, 'system') on conflict do nothing`,
    );
  }
}

/** Fourteen days of another source, and what each of them comes to. */
async function tellDays(db: Database): Promise<void> {
  await applySource(await as(db, 'admin'), { ...orderLines });
  await appendEvents(till(db), { source: orderLines.name, events: orderLineEvents() });
  await declare(db, daily);
  await applyAll(db, orderLines.name);
}

/** Makes a dataset that is not there yet. */
async function declare(db: Database, spec: { name: string }): Promise<void> {
  if (await loadDataset(db, spec.name)) return;
  await applyDataset(await as(db, 'admin'), spec);
}

/** Since a release was in use, what it replaces is kept for a week. */
async function keepReplacedGenerations(db: Database): Promise<void> {
  const dataset = await loadDataset(db, 'order_tax');
  const { rollbackWindowSeconds } = orderTax().policy;
  if (dataset?.policy.rollbackWindowSeconds === rollbackWindowSeconds) return;
  await applyDataset(await as(db, 'admin'), orderTax());
}

const batchSize = 5000;

/** The shop as the demo's source: tells its history day by day, into the log and the datasets. */
class Shop {
  readonly #db: Database;
  readonly #history: readonly Told[] = shopHistory();
  #told = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  async open(): Promise<void> {
    const { name, ...body } = orders;
    await applySource(await as(this.#db, 'admin'), { name, ...body });
  }

  /** Appends everything up to a day's end and applies it. */
  async tell(through: string): Promise<void> {
    const end = dayOf(through);
    const due = this.#history.slice(this.#told).filter(({ day }) => day <= end);
    for (let i = 0; i < due.length; i += batchSize) {
      const events = due.slice(i, i + batchSize).map(({ event }) => event);
      await appendEvents(till(this.#db), { source: orders.name, events });
    }
    this.#told += due.length;
    await applyAll(this.#db, orders.name);
  }
}
