'use client';

import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { watchColours } from '@/components/hooks/use-theme';
import { useWidth } from '@/components/hooks/use-width';
import { cornerOf, geometry, NARROW, placeUnder } from './calendar-geometry';
import {
  type CalendarUnit,
  calendarGrid,
  labelledStretch,
  neighbour,
  partitionAt,
} from './calendar-grid';
import { type Painted, paintedOnce, paintRings } from './calendar-paint';
import { CalendarZoom } from './calendar-zoom';
import { prepareCanvas, readColours } from './canvas-colours';
import { CELL_COLOURS, type CellColours } from './cell-paint';
import { CellTip } from './cell-tip';
import {
  cellLabel,
  type Edges,
  extended,
  intervalText,
  intervalUtc,
  type OddPartition,
  type Stretch,
  stretchOf,
} from './partition-cells';

const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] as const;
type Arrow = (typeof ARROWS)[number];

/**
 * The canvas of the calendar. To assistive technology it is one slider over the partitions: arrows
 * move, Enter opens, and the value is read as interval and state. The canvas is as large as the
 * view and stays in place while an empty box of the calendar's true size scrolls past under it.
 */
export function CalendarCanvas({
  unit,
  edges,
  states,
  odd,
  selected,
  range,
  kept,
  label,
  noteOf,
  onSelect,
  onRange,
}: {
  unit: CalendarUnit;
  edges: Edges;
  states: string;
  odd: readonly OddPartition[];
  selected: number;
  /** Given where several can be selected: a drag, or Shift with the arrows. */
  range?: Stretch | null;
  kept: ReadonlySet<string> | null;
  label: string;
  /** More to say of a partition than its state. */
  noteOf?: (index: number) => string | undefined;
  onSelect: (index: number) => void;
  onRange?: (from: number, to: number) => void;
}) {
  const [box, width] = useWidth<HTMLDivElement>(1032);
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = useRef<{ cells: CellColours; font: string } | null>(null);
  const cells = useRef<Painted | null>(null);
  const [zoom, setZoom] = useState(0);
  const [hovered, setHovered] = useState(-1);
  const [walked, setWalked] = useState(-1);
  const [drag, setDrag] = useState<Stretch | null>(null);
  const anchor = useRef(-1);
  const shownRange = drag ?? range ?? null;
  const count = states.length;

  const direction = width < NARROW ? 'down' : 'across';
  const grid = useMemo(
    () => calendarGrid(unit, edges.text, count, direction),
    [unit, edges.text, count, direction],
  );
  const g = useMemo(() => geometry(grid, unit, width, zoom), [grid, unit, width, zoom]);
  const oddSet = useMemo(() => new Set(odd.map((one) => one.index)), [odd]);
  const lengths = useMemo(() => new Map(odd.map((one) => [one.index, one.text])), [odd]);
  const across = grid.direction === 'across';
  const here = walked >= 0 ? walked : Math.max(0, selected);

  const paint = useCallback(() => {
    const element = canvas.current;
    const scroller = box.current;
    if (!element || !scroller) return;
    colours.current ??= {
      cells: readColours(scroller, CELL_COLOURS),
      font: getComputedStyle(scroller).fontFamily,
    };
    const context = prepareCanvas(element, g.viewWidth, g.viewHeight);
    if (!context) return;
    const picture = {
      grid,
      g,
      states,
      odd: oddSet,
      range: shownRange,
      kept,
      scroll: across ? scroller.scrollLeft : scroller.scrollTop,
      colours: colours.current.cells,
      font: colours.current.font,
    };
    cells.current = paintedOnce(cells.current, picture, element.width);
    // an empty picture cannot be drawn
    if (element.width === 0 || element.height === 0) return;
    context.drawImage(cells.current.canvas, 0, 0, g.viewWidth, g.viewHeight);
    paintRings(context, picture, {
      selected: shownRange ? -1 : selected,
      hovered: hovered >= 0 ? hovered : walked,
    });
  }, [box, grid, g, states, oddSet, selected, shownRange, hovered, walked, kept, across]);

  useLayoutEffect(paint, [paint]);
  useEffect(
    () =>
      watchColours(() => {
        colours.current = null;
        paint();
      }),
    [paint],
  );

  const reveal = useCallback(
    (at: number) => {
      const scroller = box.current;
      if (!scroller || at < 0) return;
      const { x, y } = cornerOf(grid, g, grid.major[at] ?? 0, grid.minor[at] ?? 0);
      if (across) {
        const from = scroller.scrollLeft;
        if (x - g.left < from || x + g.cellWidth > from + g.viewWidth) {
          scroller.scrollLeft = x - g.viewWidth / 2;
        }
      } else if (
        y - g.top < scroller.scrollTop ||
        y + g.cellHeight > scroller.scrollTop + g.viewHeight
      ) {
        scroller.scrollTop = y - g.viewHeight / 2;
      }
    },
    [box, grid, g, across],
  );
  useEffect(() => reveal(selected), [reveal, selected]);

  const placeOf = (event: PointerEvent) => {
    const scroller = box.current;
    const area = canvas.current?.getBoundingClientRect();
    if (!scroller || !area) return { major: -1, minor: -1 };
    return placeUnder(grid, g, {
      x: event.clientX - area.left + (across ? scroller.scrollLeft : 0),
      y: event.clientY - area.top + (across ? 0 : scroller.scrollTop),
    });
  };
  const underOf = (event: PointerEvent) => {
    const { major, minor } = placeOf(event);
    return minor < 0 ? -1 : partitionAt(grid, major, minor);
  };
  const down = (event: PointerEvent<HTMLCanvasElement>) => {
    // a finger scrolls
    if (range === undefined || event.button !== 0 || event.pointerType === 'touch') return;
    anchor.current = underOf(event);
    if (anchor.current >= 0) event.currentTarget.setPointerCapture(event.pointerId);
  };
  const over = (event: PointerEvent) => {
    const at = underOf(event);
    setHovered(at);
    if (anchor.current < 0 || at < 0 || (at === anchor.current && !drag)) return;
    setDrag(stretchOf(anchor.current, at));
  };
  const press = (event: PointerEvent) => {
    anchor.current = -1;
    if (drag) {
      setDrag(null);
      setWalked(-1);
      onRange?.(drag.from, drag.to);
      return;
    }
    const { major, minor } = placeOf(event);
    const at = minor < 0 ? -1 : partitionAt(grid, major, minor);
    if (at >= 0) {
      setWalked(-1);
      onSelect(at);
    } else if (minor < 0 && onRange) {
      const stretch = labelledStretch(grid, major);
      if (stretch) onRange(...stretch);
    }
  };
  const key = (event: KeyboardEvent) => {
    let to = here;
    if (ARROWS.includes(event.key as Arrow)) to = neighbour(grid, here, event.key as Arrow);
    else if (event.key === 'Home') to = 0;
    else if (event.key === 'End') to = count - 1;
    else if (event.key === 'PageUp') to = Math.max(0, here - 4 * grid.minors);
    else if (event.key === 'PageDown') to = Math.min(count - 1, here + 4 * grid.minors);
    else if (event.key === 'Enter' || event.key === ' ') onSelect(here);
    else return;
    event.preventDefault();
    setWalked(to);
    reveal(to);
    if (range === undefined || !event.shiftKey || to === here) return;
    const next = extended(range, stretchOf(here, here), stretchOf(to, to));
    onRange?.(next.from, next.to);
  };

  const told = (at: number) =>
    [intervalText(edges, at), lengths.get(at), cellLabel(states[at]), noteOf?.(at)]
      .filter(Boolean)
      .join(', ');
  const tip = hovered >= 0 ? hovered : walked;
  const tipPlace = (at: number) => {
    const { x, y } = cornerOf(grid, g, grid.major[at] ?? 0, grid.minor[at] ?? 0);
    const scroller = box.current;
    return {
      x: x - (across ? (scroller?.scrollLeft ?? 0) : 0),
      y:
        (scroller?.offsetTop ?? 0) +
        y +
        g.cellHeight +
        8 -
        (across ? 0 : (scroller?.scrollTop ?? 0)),
    };
  };

  return (
    <div className="cal-body">
      {g.zoomable && <CalendarZoom zoom={zoom} setZoom={setZoom} />}
      <div
        ref={box}
        className={across ? 'cal-scroll across' : 'cal-scroll down'}
        style={{ height: across ? undefined : g.viewHeight }}
        onScroll={paint}
      >
        <div style={{ width: g.contentWidth, height: g.contentHeight }}>
          <canvas
            ref={canvas}
            style={{ width: g.viewWidth, height: g.viewHeight }}
            tabIndex={0}
            role="slider"
            aria-label={label}
            aria-orientation="horizontal"
            aria-valuemin={1}
            aria-valuemax={Math.max(1, count)}
            aria-valuenow={here + 1}
            aria-valuetext={count > 0 ? told(here) : 'none'}
            onPointerDown={down}
            onPointerMove={over}
            onPointerLeave={() => setHovered(-1)}
            onPointerCancel={() => {
              anchor.current = -1;
              setDrag(null);
            }}
            onPointerUp={press}
            onKeyDown={key}
            onBlur={() => setWalked(-1)}
          />
        </div>
      </div>
      {tip >= 0 && (
        <CellTip at={tipPlace(tip)} width={g.viewWidth}>
          {told(tip)}
          <span>{intervalUtc(edges, tip)}</span>
        </CellTip>
      )}
    </div>
  );
}
