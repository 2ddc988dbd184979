import { cornerOf, type Geometry, majorsInView } from './calendar-geometry';
import type { CalendarGrid, GridLabel } from './calendar-grid';
import { prepareCanvas } from './canvas-colours';
import { type CellColours, paintBehind, paintCell, paintOdd, paintSelected } from './cell-paint';
import { isAlarm, precedence, type Stretch } from './partition-cells';

export interface Picture {
  grid: CalendarGrid;
  g: Geometry;
  states: string;
  /** Partitions of unusual length. */
  odd: ReadonlySet<number>;
  /** Several selected ones, half-open; null for none. */
  range: Stretch | null;
  /** Codes that the filter keeps; the others fade. Null keeps all. */
  kept: ReadonlySet<string> | null;
  /** Scrolled so far along time, in px. */
  scroll: number;
  colours: CellColours;
  font: string;
}

/** The cells as they were painted last, of which picture and how many device pixels wide. */
export interface Painted {
  canvas: HTMLCanvasElement;
  picture: Picture;
  width: number;
}

/** The pointer moves far more often than the cells change: they are painted once, beside the screen. */
export function paintedOnce(last: Painted | null, picture: Picture, width: number): Painted {
  const names = Object.keys(picture) as (keyof Picture)[];
  if (last?.width === width && names.every((name) => last.picture[name] === picture[name])) {
    return last;
  }
  const canvas = last?.canvas ?? document.createElement('canvas');
  const context = prepareCanvas(canvas, picture.g.viewWidth, picture.g.viewHeight);
  if (context) paintCalendar(context, picture);
  return { canvas, picture, width };
}

const FADED = 0.16;

/**
 * Paints what is in view: at most a screenful of cells, however long the calendar is. All of it but
 * the rings, which follow the pointer and the keyboard.
 */
export function paintCalendar(c: CanvasRenderingContext2D, picture: Picture) {
  const { grid, g } = picture;
  const across = grid.direction === 'across';
  scrolled(c, picture, () => {
    if (across && g.cellWidth + g.gapX < 2) paintSqueezed(c, picture);
    else paintCells(c, picture);
    if (g.cellWidth >= 5)
      for (const at of picture.odd) paintOdd(c, boxOf(picture, at), picture.colours);
  });
  paintLabels(c, picture);
}

/** The rings of the selected cell and of the one under the pointer. */
export function paintRings(
  c: CanvasRenderingContext2D,
  picture: Picture,
  { selected, hovered }: { selected: number; hovered: number },
) {
  scrolled(c, picture, () => {
    if (hovered >= 0 && hovered !== selected) {
      paintOdd(c, boxOf(picture, hovered), picture.colours);
    }
    if (selected >= 0) paintSelected(c, boxOf(picture, selected), picture.colours);
  });
}

/** Paints among the cells, wherever they are scrolled to, and nothing beside them. */
function scrolled(c: CanvasRenderingContext2D, { grid, g, scroll }: Picture, paint: () => void) {
  const across = grid.direction === 'across';
  c.save();
  c.beginPath();
  // The ring of a selected cell reaches 4 px beyond it.
  if (across) c.rect(g.left - 4, 0, g.viewWidth - g.left + 4, g.viewHeight);
  else c.rect(0, g.top - 4, g.viewWidth, g.viewHeight - g.top + 4);
  c.clip();
  c.translate(across ? -scroll : 0, across ? 0 : -scroll);
  paint();
  c.restore();
}

function boxOf({ grid, g }: Picture, at: number) {
  const { x, y } = cornerOf(grid, g, grid.major[at] ?? 0, grid.minor[at] ?? 0);
  return { x, y, w: Math.max(2, g.cellWidth), h: g.cellHeight };
}

function paintCells(c: CanvasRenderingContext2D, picture: Picture) {
  const { grid, g, states, range, kept, colours, scroll } = picture;
  const view = majorsInView(grid, g, scroll);
  const to = grid.first[view.to] ?? states.length;
  for (let at = grid.first[view.from] ?? 0; at < to; at += 1) {
    const code = states[at] ?? '';
    const { x, y } = cornerOf(grid, g, grid.major[at] ?? 0, grid.minor[at] ?? 0);
    const box = { x, y, w: g.cellWidth, h: g.cellHeight };
    if (range && at >= range.from && at < range.to) paintBehind(c, box, g.gapX, colours);
    c.globalAlpha = kept && !kept.has(code) ? FADED : 1;
    paintCell(c, code, box, colours);
    c.globalAlpha = 1;
  }
}

/** Several partitions on one pixel: the one that needs somebody most is shown. */
function paintSqueezed(c: CanvasRenderingContext2D, picture: Picture) {
  const { grid, g, states, kept, colours } = picture;
  const columns = Math.ceil(g.viewWidth);
  const shown = new Array<string>(columns * grid.minors).fill('');
  const pitch = g.cellWidth + g.gapX;
  const weights = new Map<string, number>([['', -1]]);
  for (const code of new Set(states)) {
    weights.set(code, precedence(code) + (kept?.has(code) ? 100 : 0));
  }
  for (let at = 0; at < states.length; at += 1) {
    const code = states[at] ?? '';
    const place = Math.floor((grid.major[at] ?? 0) * pitch) * grid.minors + (grid.minor[at] ?? 0);
    if ((weights.get(code) ?? 0) > (weights.get(shown[place] ?? '') ?? 0)) shown[place] = code;
  }
  // Failures last and 2 px wide, so that none is covered or too thin to see.
  for (const failures of [false, true]) {
    shown.forEach((code, place) => {
      if (code === '' || isAlarm(code) !== failures) return;
      const x = g.left + Math.floor(place / grid.minors);
      const y = g.top + (place % grid.minors) * (g.cellHeight + g.gapY);
      c.globalAlpha = kept && !kept.has(code) ? FADED : 1;
      paintCell(c, code, { x, y, w: failures ? 2 : 1, h: g.cellHeight }, colours);
    });
  }
  c.globalAlpha = 1;
}

function paintLabels(c: CanvasRenderingContext2D, picture: Picture) {
  const { grid, g, scroll, colours, font } = picture;
  const across = grid.direction === 'across';
  c.font = `11px ${font}`;
  c.fillStyle = colours['ink-3'];
  c.textBaseline = 'middle';
  const column = (label: GridLabel) => g.left + label.at * (g.cellWidth + g.gapX);
  const row = (label: GridLabel) =>
    g.top + label.at * (g.cellHeight + g.gapY) + g.cellHeight / 2 + 1;
  if (across) {
    along(
      c,
      topLabels(grid, g),
      (label) => column(label) - scroll,
      [g.left, g.viewWidth],
      g.cellWidth < 12 ? [0] : [0, 1],
    );
    for (const label of grid.minorLabels) c.fillText(label.text, 0, row(label));
    return;
  }
  along(c, grid.minorLabels, column, [g.left, g.viewWidth], [0]);
  let free = g.top;
  for (const label of grid.majorLabels) {
    const y = row(label) - scroll;
    if (label.rank === 1 || y < free || y > g.viewHeight) continue;
    c.fillText(label.text.replace('|', ' '), 0, y);
    free = y + 13;
  }
}

/** Where a month is narrower than its name, the years are named alone. */
function topLabels(grid: CalendarGrid, g: Geometry): readonly GridLabel[] {
  const months = grid.majorLabels.filter((label) => label.rank === 0);
  const width = (grid.majors / Math.max(1, months.length)) * (g.cellWidth + g.gapX);
  const years = months.filter((label) => label.text.includes('|'));
  if (width >= 26 || years.length < 2) return grid.majorLabels;
  return years.map((label) => ({ ...label, text: label.text.replace(/^.*\|/, '') }));
}

/** Labels along the top: those of rank 0 first, then the others where there is room between. */
function along(
  c: CanvasRenderingContext2D,
  labels: readonly GridLabel[],
  xOf: (label: GridLabel) => number,
  [from, to]: readonly [number, number],
  ranks: readonly number[],
) {
  const taken: [number, number][] = [];
  for (const rank of ranks) {
    for (const label of labels) {
      if (label.rank !== rank) continue;
      const x = xOf(label);
      if (x < from - 1 || x > to) continue;
      const long = label.text.replace('|', ' ');
      const short = label.text.replace(/\|.*/, '');
      const text = [long, short].find((wish) => {
        const end = x + c.measureText(wish).width;
        return end <= to && taken.every(([a, b]) => end + 6 < a || x > b + 6);
      });
      if (text === undefined) continue;
      taken.push([x, x + c.measureText(text).width]);
      c.fillText(text, x, 8);
    }
  }
}
