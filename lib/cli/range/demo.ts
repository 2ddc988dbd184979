import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Answer, Context } from './commands';
import { datesOf } from './dates';
import { EXIT, RangeFault } from './fault';
import type { Figures } from './figures';
import { type Json, jsonText } from './json-text';
import { measureDoubling, measureSplit, rowsOfRun } from './lesson';
import { Partitions } from './partitions';
import { writeBeside } from './report';
import type { Language } from './report-words';
import { RangeStore } from './store';

const FIRST = '2026-02-01';
const LAST = '2026-02-14';
const SENT = '2026-02-02';

/** Carries out one command line as a person would have typed it. */
export type Type = (argv: readonly string[]) => Promise<Answer>;

/**
 * Makes fourteen days of partitions and walks the whole lesson on them, saying each command and
 * what came of it. Also writes `split.json`, `double.json` and the report beside the store.
 *
 * @throws RangeFault where the folder or the store holds something already
 */
export async function demo(context: Context, language: Language, type: Type): Promise<Answer> {
  refuseToMix(context);
  const { say } = context;
  const dates = datesOf(FIRST, LAST);
  const step = async (title: string, ...commands: string[][]) => {
    say(`\n${title}`);
    let last: Answer | null = null;
    for (const argv of commands) last = await typed(context, type, argv);
    return last;
  };

  say(`Fourteen days of orders, in ${context.events}`);
  makeEvents(context.events, dates);
  await step(
    'A range is run; the regular run is the same, one date long.',
    ['init'],
    ['run', FIRST, LAST, 'backfill'],
    ['run', LAST, LAST, 'regular'],
  );

  say('\nWhole, day by day, and once more: each partition is replaced, so nothing adds up.');
  const split = splitJson(await measureSplit(context, dates));
  say(jsonText(split));
  writeBeside(context, 'split.json', `${jsonText(split)}\n`);

  say('\nAn added total, after part of its range was run again and added again:');
  const double = await doubleJson(context, dates);
  say(jsonText(double));
  say('The gap is the amount of the range that was counted twice. A derived total has none.');
  writeBeside(context, 'double.json', `${jsonText(double)}\n`);

  await step(
    'Ranges are reserved: what somebody else holds is denied, and skipped by a run.',
    ['claim', '2026-02-10', '2026-02-11', 'regular'],
    ['claim', '2026-02-09', '2026-02-12', 'backfill'],
    ['run', '2026-02-08', '2026-02-13', 'backfill'],
    ['release', FIRST, LAST, 'regular'],
    ['run', '2026-02-10', '2026-02-11', 'backfill'],
    ['release', FIRST, LAST, 'backfill'],
  );

  await step(`${SENT} is sent out, and sealed. Then an order comes late.`, ['seal', SENT, SENT]);
  appendFileSync(new Partitions(context.events).pathOf(SENT), lateOrder());
  await step(
    'A run leaves it alone; a correction says what would be right now.',
    ['run', '2026-02-01', '2026-02-03', 'backfill'],
    ['amend', SENT, 'an order came after the report was sent'],
  );
  const report = await step(
    'The total is derived, and the report written.',
    ['rollup'],
    ['report', '--lang', language],
  );
  return { json: { split, double, report: report?.json ?? {} }, exitCode: EXIT.ok };
}

async function typed({ say }: Context, type: Type, argv: readonly string[]): Promise<Answer> {
  say(`$ range ${argv.map((word) => (/\s/.test(word) ? `'${word}'` : word)).join(' ')}`);
  const answer = await type(argv);
  say(jsonText(answer.json));
  if (answer.exitCode !== EXIT.ok) say(`exit code ${answer.exitCode}`);
  return answer;
}

/** A lesson that is mixed into real partitions would be a bad one. */
function refuseToMix({ db, events }: Context): void {
  const other = 'point BACKFILL_DB and BACKFILL_EVENTS to an empty folder';
  if (existsSync(events) && readdirSync(events).some((name) => /^dt=.*\.jsonl$/.test(name))) {
    throw new RangeFault(`${events} holds partitions already: ${other}`);
  }
  if (!existsSync(db)) return;
  const store = RangeStore.open(db);
  try {
    if (!store.isEmpty()) throw new RangeFault(`${db} is in use already: ${other}`);
  } finally {
    store.close();
  }
}

/** Each day has another number of lines, so that no two partitions can be taken for each other. */
function makeEvents(folder: string, dates: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  for (const [day, dt] of dates.entries()) {
    const lines = Array.from({ length: 7 + day }, (_, row) => {
      const refund = row % 5 === 4;
      const size = 1200 + 137 * day + 211 * row;
      return orderLine(`${dt}-${row + 1}`, dt, refund ? -size : size);
    });
    writeFileSync(path.join(folder, `dt=${dt}.jsonl`), lines.join(''));
  }
}

function lateOrder(): string {
  return orderLine(`${SENT}-late`, SENT, 4321);
}

function orderLine(order_id: string, dt: string, amount: number): string {
  return `${JSON.stringify({ order_id, dt, amount, status: amount < 0 ? 'refund' : 'paid' })}\n`;
}

function splitJson({ whole, byDay, rerunChanged }: Awaited<ReturnType<typeof measureSplit>>) {
  const json = ({ orders, amount }: Figures) => ({ orders, amount });
  return { whole: json(whole), by_day: json(byDay), rerun_changed: rerunChanged };
}

async function doubleJson(context: Context, dates: readonly string[]): Promise<Json> {
  const doubling = await measureDoubling(context, await rowsOfRun(context, dates));
  if (doubling === null) throw new Error('the lesson has no rows');
  return {
    backfill_range: doubling.backfilled,
    true_total: doubling.derived,
    add_after_backfill: doubling.added,
    gap: doubling.gap,
  };
}
