/** Numbers from a seed, so that a run can be replayed: mulberry32. */
export interface Random {
  readonly seed: number;
  /** A whole number from 0 to below `below`. */
  below(below: number): number;
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T;
  /** True once in `n` times. */
  oneIn(n: number): boolean;
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    seed,
    below,
    pick: (list) => list[below(list.length)] as never,
    oneIn: (n) => below(n) === 0,
  };
}
