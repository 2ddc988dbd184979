import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Answer, type Context, withStore } from './commands';
import { EXIT } from './fault';
import { type Json, jsonText } from './json-text';
import { measureDoubling } from './lesson';
import { type Findings, partitionsIn, reportPage } from './report-page';
import type { Language } from './report-words';
import type { RangeStore } from './store';

/** Writes `backfill_report.json` and `backfill_report.md` beside the store. */
export async function report(context: Context, language: Language): Promise<Answer> {
  return await withStore(context, async (store) => {
    const findings = await findingsOf(store, context);
    const json = summary(findings);
    writeBeside(context, 'backfill_report.json', `${jsonText(json)}\n`);
    writeBeside(context, 'backfill_report.md', reportPage(findings, language));
    return { json, exitCode: EXIT.ok };
  });
}

async function findingsOf(store: RangeStore, context: Context): Promise<Findings> {
  const found = store.read(() => ({
    daily: store.daily(),
    claims: store.claims(),
    seals: store.seals(),
    corrections: store.corrections(),
    derived: store.derive(),
    stored: store.rollup(),
  }));
  return { ...found, doubling: await measureDoubling(context, found.daily) };
}

function summary({ daily, derived, seals, corrections, doubling }: Findings): Json {
  return {
    partitions: partitionsIn(daily),
    orders: derived.orders,
    amount: derived.amount,
    sealed: seals,
    corrections: corrections.length,
    rollup: { order_total: derived.orders, amount_total: derived.amount },
    double_gap: doubling?.gap ?? 0,
  };
}

/** Puts a file into the store's folder, whole or not at all, and says so. */
export function writeBeside(context: Context, name: string, text: string): void {
  const file = path.join(path.dirname(context.db), name);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
  context.say(`wrote ${file}`);
}
