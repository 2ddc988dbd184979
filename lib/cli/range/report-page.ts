import type { Figures } from './figures';
import type { Doubling } from './lesson';
import { type Language, WORDS } from './report-words';
import type { Correction, DailyRow } from './store';

/** What a report is written from: one state of the store, and the doubling measured beside it. */
export interface Findings {
  readonly daily: readonly DailyRow[];
  readonly claims: ReadonlyMap<string, string>;
  readonly seals: readonly string[];
  readonly corrections: readonly Correction[];
  readonly derived: Figures;
  readonly stored: Figures | null;
  readonly doubling: Doubling | null;
}

/** The report as Markdown: four sections, every figure from the findings. */
export function reportPage(findings: Findings, language: Language): string {
  const words = WORDS[language];
  const sections = [
    `# ${words.title}`,
    `## ${words.again.heading}`,
    ...againSection(findings, language),
    `## ${words.met.heading}`,
    ...metSection(findings, language),
    `## ${words.doubles.heading}`,
    ...doublesSection(findings, language),
    `## ${words.sent.heading}`,
    ...sentSection(findings, language),
  ];
  return `${sections.join('\n\n')}\n`;
}

function againSection({ daily, derived }: Findings, language: Language): string[] {
  const words = WORDS[language];
  const done = words.done(partitionsIn(daily), derived.orders, derived.amount);
  if (daily.length === 0) return [done];
  const rows = daily.map(({ dt, orders, amount, owner }) => [dt, orders, amount, cell(owner)]);
  return [done, words.order, table(words.again.columns, rows)];
}

function metSection({ daily, claims }: Findings, language: Language): string[] {
  const words = WORDS[language];
  const counts = new Map<string, number>();
  for (const { owner } of daily) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const owners = [...counts].map(([owner, count]) => words.partitionsOf(cell(owner), count));
  const held = [...claims].sort().map(([dt, owner]) => [dt, cell(owner)]);
  return [
    words.skips,
    ...(owners.length === 0 ? [] : [words.owners(owners.join(', '))]),
    ...(held.length === 0 ? [words.noClaims] : [words.claims, table(words.met.columns, held)]),
  ];
}

function doublesSection({ doubling, derived, stored }: Findings, language: Language): string[] {
  const words = WORDS[language];
  return [
    ...(doubling === null ? [words.nothingToDouble] : doubled(doubling, language)),
    words.derived(derived.orders, derived.amount),
    storedLine(stored, derived, language),
  ];
}

function doubled({ range, backfilled, added, derived, gap }: Doubling, language: Language) {
  const words = WORDS[language];
  const part = span(backfilled);
  return [words.measured(span(range), part), words.gap(added, derived, gap, part)];
}

function storedLine(stored: Figures | null, derived: Figures, language: Language): string {
  const words = WORDS[language];
  if (stored === null) return words.noStored;
  const same = stored.orders === derived.orders && stored.amount === derived.amount;
  return (same ? words.stored : words.storedOff)(stored.orders, stored.amount);
}

function sentSection({ seals, corrections }: Findings, language: Language): string[] {
  const words = WORDS[language];
  const sealed = seals.length === 0 ? words.noSeals : words.sealed(seals.join(', '));
  if (corrections.length === 0) return [sealed, words.noCorrections];
  const rows = corrections.map(({ dt, before, after, reason }) => [
    dt,
    `${before.orders} → ${after.orders}`,
    `${before.amount} → ${after.amount}`,
    cell(reason),
  ]);
  return [sealed, words.corrections, table(words.sent.columns, rows)];
}

export function partitionsIn(daily: readonly DailyRow[]): number {
  return new Set(daily.map(({ dt }) => dt)).size;
}

function span([first, last]: readonly [string, string]): string {
  return first === last ? first : `${first} – ${last}`;
}

type Cell = string | bigint;

function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [columns, columns.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Text of people, so that it stays in its cell and is not taken for markup. */
function cell(text: string): string {
  return text.replace(/[\\`*_|<>[\]#]/g, '\\$&').replace(/\s+/g, ' ');
}
