import type { CalendarGrid, CalendarUnit } from './calendar-grid';

/** Cell widths that the zoom steps through, in px; before the first one all of time fits. */
export const ZOOMS = [8, 12, 18, 26] as const;
const LARGEST = 26;
const SMALLEST_SHAPE = 8;
/** Under this width cells are laid out for a phone. */
export const NARROW = 560;
const TALLEST = 420;

export interface Geometry {
  /** Room for the labels of rows and columns. */
  left: number;
  top: number;
  cellWidth: number;
  cellHeight: number;
  gapX: number;
  gapY: number;
  /** All of the calendar, and what of it is in view; the rest scrolls along time. */
  contentWidth: number;
  contentHeight: number;
  viewWidth: number;
  viewHeight: number;
  /** True where all of time does not fit in cells with shapes: there is something to zoom. */
  zoomable: boolean;
}

/**
 * Sizes for a width. Cells are 8 to 26 px. Where time flows across and does not fit, `zoom` 0
 * squeezes all of it into view (cells down to a fraction of a pixel, see `precedence`), `zoom` 1 to
 * 4 take a width of `ZOOMS` and scroll. Where time flows down, it scrolls past 420 px.
 */
export function geometry(
  grid: CalendarGrid,
  unit: CalendarUnit,
  width: number,
  zoom = 0,
): Geometry {
  return grid.direction === 'across'
    ? acrossGeometry(grid, unit, width, zoom)
    : downGeometry(grid, unit, width);
}

function acrossGeometry(
  grid: CalendarGrid,
  unit: CalendarUnit,
  width: number,
  zoom: number,
): Geometry {
  const left = 34;
  const top = 20;
  const room = Math.max(1, width - left - 3);
  const share = room / Math.max(1, grid.majors);
  const fits = share >= SMALLEST_SHAPE + 2;
  let cellWidth: number;
  let gapX: number;
  if (zoom > 0 && !fits) {
    cellWidth = ZOOMS[Math.min(zoom, ZOOMS.length) - 1] ?? LARGEST;
    gapX = cellWidth > SMALLEST_SHAPE ? 2 : 1;
  } else if (fits) {
    gapX = 2;
    cellWidth = Math.min(LARGEST, Math.floor(share) - gapX);
  } else {
    gapX = share >= 4 ? 1 : 0;
    cellWidth = share - gapX;
  }
  const [low, high] = unit === 'hour' ? [7, 16] : [14, LARGEST];
  const cellHeight = Math.min(high, Math.max(low, Math.round(cellWidth)));
  const gapY = cellHeight > 10 ? 2 : 1;
  const contentWidth = Math.ceil(left + grid.majors * (cellWidth + gapX) + 3);
  const contentHeight = top + grid.minors * (cellHeight + gapY) + 3;
  return {
    left,
    top,
    cellWidth,
    cellHeight,
    gapX,
    gapY,
    contentWidth: fits ? width : Math.max(width, contentWidth),
    contentHeight,
    viewWidth: width,
    viewHeight: contentHeight,
    zoomable: !fits,
  };
}

function downGeometry(grid: CalendarGrid, unit: CalendarUnit, width: number): Geometry {
  const narrow = width < NARROW;
  const left = unit === 'hour' ? 44 : narrow ? 30 : 36;
  const top = 18;
  const gapX = narrow ? 1 : 2;
  const largest = unit === 'month' ? 64 : LARGEST;
  const share = Math.floor((width - left - 3) / Math.max(1, grid.minors));
  const cellWidth = Math.max(2, Math.min(largest, share - gapX));
  const cellHeight = narrow ? 15 : Math.min(LARGEST, Math.max(14, cellWidth));
  const contentHeight = top + grid.majors * (cellHeight + gapX) + 3;
  return {
    left,
    top,
    cellWidth,
    cellHeight,
    gapX,
    gapY: gapX,
    contentWidth: width,
    contentHeight,
    viewWidth: width,
    viewHeight: Math.min(contentHeight, TALLEST),
    zoomable: false,
  };
}

export interface Point {
  x: number;
  y: number;
}

/** Top left corner of a place, in the calendar's own px (before scrolling). */
export function cornerOf(grid: CalendarGrid, g: Geometry, major: number, minor: number): Point {
  const column = grid.direction === 'across' ? major : minor;
  const row = grid.direction === 'across' ? minor : major;
  return {
    x: g.left + column * (g.cellWidth + g.gapX),
    y: g.top + row * (g.cellHeight + g.gapY),
  };
}

/** The place under a point of the calendar (scrolling already added); minor -1 over the labels. */
export function placeUnder(
  grid: CalendarGrid,
  g: Geometry,
  point: Point,
): { major: number; minor: number } {
  const column = Math.floor((point.x - g.left) / (g.cellWidth + g.gapX));
  const row = Math.floor((point.y - g.top) / (g.cellHeight + g.gapY));
  const [major, minor] = grid.direction === 'across' ? [column, row] : [row, column];
  return { major, minor: minor >= grid.minors ? -1 : minor };
}

/** Majors that are in view when scrolled by so many px along time: from…to, half-open. */
export function majorsInView(
  grid: CalendarGrid,
  g: Geometry,
  scroll: number,
): { from: number; to: number } {
  const across = grid.direction === 'across';
  const pitch = across ? g.cellWidth + g.gapX : g.cellHeight + g.gapY;
  const room = across ? g.viewWidth - g.left : g.viewHeight - g.top;
  return {
    from: Math.max(0, Math.floor(scroll / pitch) - 1),
    to: Math.min(grid.majors, Math.ceil((scroll + room) / pitch) + 1),
  };
}
