import type { MapRange, Span } from './range-map';

/** A map of so many ranges is compacted: from there on readers notice. */
export const COMPACT_FROM = 16;
/** Down to so few, so that the next copy on write is not at once another reason. */
const COMPACT_TO = 8;

interface Piece extends Span {
  transform: string;
  /** Rows that would have to be copied; 0 for what is to be moved already. */
  rows: number;
  moved: boolean;
}

/**
 * Which spans of a map to copy into one fresh segment, so that it has few ranges again: those that
 * save most ranges for the fewest copied rows. Ranges of different transforms never become one.
 * Empty where the map is short enough, or cannot become shorter.
 */
export function spansToMove(map: readonly MapRange[], rowsOf: (range: MapRange) => number): Span[] {
  if (map.length < COMPACT_FROM) return [];
  let pieces = map.map((range): Piece => ({ ...range, rows: rowsOf(range), moved: false }));
  while (pieces.length > COMPACT_TO) {
    const best = cheapest(pieces);
    if (best === null) break;
    pieces = joined(pieces, best.at, best.length);
  }
  return pieces.filter((p) => p.moved).map(({ from, to }) => ({ from, to }));
}

/** The two or three neighbours with the fewest rows to copy for each range that joining them saves. */
function cheapest(pieces: readonly Piece[]): { at: number; length: number } | null {
  let best: { at: number; length: number; price: number } | null = null;
  for (const [at, first] of pieces.entries()) {
    for (const length of [2, 3]) {
      const window = pieces.slice(at, at + length);
      if (window.length < length || window.some((p) => p.transform !== first.transform)) break;
      const price = window.reduce((sum, p) => sum + p.rows, 0) / (length - 1);
      if (best === null || price < best.price) best = { at, length, price };
    }
  }
  return best;
}

function joined(pieces: readonly Piece[], at: number, length: number): Piece[] {
  const window = pieces.slice(at, at + length);
  const first = window[0] as Piece;
  const last = window.at(-1) as Piece;
  return [
    ...pieces.slice(0, at),
    { ...first, to: last.to, rows: 0, moved: true },
    ...pieces.slice(at + length),
  ];
}
