import { describe, expect, it } from 'vitest';
import { cornerOf, geometry, majorsInView, placeUnder, ZOOMS } from './calendar-geometry';
import { type CalendarGrid, calendarGrid } from './calendar-grid';

/** A grid with so many majors; what stands where does not matter here. */
function sized(majors: number, minors: number, direction: 'across' | 'down'): CalendarGrid {
  const empty = calendarGrid('day', [], 0, direction);
  return { ...empty, direction, majors, minors };
}

describe('across', () => {
  it('a year of days fits in cells with shapes', () => {
    const g = geometry(sized(49, 7, 'across'), 'day', 1064);
    expect(g.zoomable).toBe(false);
    expect(g.cellWidth).toBe(18);
    expect(g.contentWidth).toBe(1064);
  });

  it('cells never grow past 26 px', () => {
    expect(geometry(sized(4, 7, 'across'), 'day', 1064).cellWidth).toBe(26);
  });

  it('137 years of days are squeezed into view, and zoom to scroll', () => {
    const grid = sized(7144, 7, 'across');
    const all = geometry(grid, 'day', 1064);
    expect(all.zoomable).toBe(true);
    expect(all.contentWidth).toBe(1064);
    expect(all.cellWidth).toBeLessThan(1);
    ZOOMS.forEach((cell, at) => {
      const g = geometry(grid, 'day', 1064, at + 1);
      expect(g.cellWidth).toBe(cell);
      expect(g.contentWidth).toBeGreaterThan(7144 * cell);
      expect(g.viewHeight).toBe(g.contentHeight);
    });
  });
});

describe('down', () => {
  it('a phone has 31 days across and scrolls past 420 px', () => {
    const g = geometry(sized(12, 31, 'down'), 'day', 334);
    expect(g.left + 31 * (g.cellWidth + g.gapX)).toBeLessThanOrEqual(334);
    expect(g.viewHeight).toBe(g.contentHeight);
    const long = geometry(sized(1643, 31, 'down'), 'day', 334);
    expect(long.viewHeight).toBe(420);
    expect(long.contentHeight).toBeGreaterThan(20_000);
  });
});

it('every place is found again under its own cell', () => {
  for (const direction of ['across', 'down'] as const) {
    const grid = sized(400, 7, direction);
    for (const zoom of [0, 2]) {
      const g = geometry(grid, 'day', 900, zoom);
      for (const [major, minor] of [
        [0, 0],
        [3, 6],
        [399, 2],
      ] as const) {
        const { x, y } = cornerOf(grid, g, major, minor);
        const point = { x: x + g.cellWidth / 2, y: y + g.cellHeight / 2 };
        expect(placeUnder(grid, g, point)).toEqual({ major, minor });
      }
    }
  }
});

it('only what is in view is drawn', () => {
  const grid = sized(7144, 7, 'across');
  const g = geometry(grid, 'day', 1064, 3);
  const { from, to } = majorsInView(grid, g, 20_000);
  expect(to - from).toBeLessThan(60);
  expect(from).toBe(999);
  expect(majorsInView(grid, geometry(grid, 'day', 1064), 0)).toEqual({ from: 0, to: 7144 });
});
