// What the facts of the items come to, told by the log alone: no code of what is checked by it.

/** What a generation makes of an item's value, by the day that the item belongs to. */
export type Factors = ReadonlyMap<number, number>;

export interface Logged {
  eventId: string;
  id: string;
  revision: string;
  op: string;
  shard: number;
  offset: string;
  at: string | null;
  value: string | null;
}

/** Everything that one look at the system is held to. */
export interface Look {
  log: readonly Logged[];
  active: string;
  /** Of the generation in use. */
  progress: readonly string[];
  factorsOf: (generation: string) => Factors | undefined;
}

/** The name of a day in what is compared: `MM-DD`. */
export const label = (day: number): string =>
  new Date(Date.UTC(2011, 0, day)).toISOString().slice(5, 10);

/** The newest event of each item up to a watermark, without deleted ones, by the items' names. */
export function standing(
  log: readonly Logged[],
  offsets: readonly string[],
): Map<string, Logged & { at: string }> {
  const newest = new Map<string, Logged>();
  for (const event of log) {
    if (BigInt(event.offset) > BigInt(offsets[event.shard] ?? '0')) continue;
    const known = newest.get(event.id);
    if (!known || BigInt(event.revision) > BigInt(known.revision)) newest.set(event.id, event);
  }
  const living = new Map<string, Logged & { at: string }>();
  for (const [id, event] of newest) {
    const { op, at } = event;
    if (op !== 'delete' && at !== null) living.set(id, { ...event, at });
  }
  return living;
}

/** Rows of a generation by day, from the facts alone. */
export function made(
  facts: ReadonlyMap<string, Logged & { at: string }>,
  factors: Factors,
): Map<string, string[]> {
  const days = new Map<string, string[]>();
  for (const [id, { at, value }] of facts) {
    const day = at.slice(5, 10);
    const number = Math.round(Date.parse(`${at.slice(0, 10)}T00:00:00Z`) / 86_400_000) - 14_974;
    const row = `C${id} ${day} ${Number(value) * (factors.get(number) ?? 1)}`;
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return days;
}

export function differences(
  name: string,
  should: readonly string[],
  is: readonly string[],
): string[] {
  const count = (list: readonly string[]) => {
    const counted = new Map<string, number>();
    for (const text of list) counted.set(text, (counted.get(text) ?? 0) + 1);
    return counted;
  };
  const [wanted, held] = [count(should), count(is)];
  const faults: string[] = [];
  for (const [text, n] of wanted) {
    const has = held.get(text) ?? 0;
    if (has < n) faults.push(`${name} lacks ${text}`);
  }
  for (const [text, n] of held) {
    const needs = wanted.get(text) ?? 0;
    if (n > needs) faults.push(`${name} has ${text} ${n} times, where ${needs} belong`);
  }
  return faults;
}
