/** Pseudo-random numbers that are the same for the same seed, on every machine and every time. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number;
  /** True in so many cases of one. */
  chance(probability: number): boolean;
  /** One of a list that is not empty; small indices are likelier with a `skew` above 1. */
  pick<T>(list: readonly T[], skew?: number): T;
}

/** A generator for a seed: mulberry32, started by the FNV-1a hash of the text. */
export function random(seed: string): Random {
  let state = hash(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (list, skew = 1) => list[Math.floor(next() ** skew * list.length)] as never,
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value;
}
