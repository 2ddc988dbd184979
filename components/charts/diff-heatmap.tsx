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
import { countText, figureText } from '@/components/ui/figure-text';
import { BUCKETS } from '@/lib/domain/buckets';
import { prepareCanvas, readColours } from './canvas-colours';
import { CellTip } from './cell-tip';
import { columnPartitions, type HeatCell, heatBins, inkShare } from './heatmap-bins';
import { HeatmapList } from './heatmap-list';
import { type Edges, extended, intervalText, intervalUtc, type Stretch } from './partition-cells';

const HEIGHT = 192;
const ODD_PX = 5;

/** A cell of the grid that is drawn: several partitions may share a column. */
interface Place {
  column: number;
  bucket: number;
}

/** What is selected: partitions, half-open, and of them one bucket or all. */
export interface HeatSelection extends Stretch {
  bucket: number | null;
}

/**
 * Differences per partition and key bucket: ink by how many rows differ, red for a bucket with an
 * unexplained row. A press selects a cell, a drag along time or Shift with the arrows selects whole
 * partitions; the strongest cells are listed below for those who do not see the picture.
 */
export function DiffHeatmap({
  edges,
  partitions,
  buckets = BUCKETS,
  cells,
  selection = null,
  onSelect,
  hrefOf,
}: {
  edges: Edges;
  partitions: number;
  buckets?: number;
  /** Only those that differ. */
  cells: readonly HeatCell[];
  selection?: HeatSelection | null;
  onSelect?: (selection: HeatSelection) => void;
  /** Where the rows of one cell of one partition are listed. */
  hrefOf?: (partition: number, bucket: number) => string;
}) {
  const [box, width] = useWidth<HTMLDivElement>(1032);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<Place | null>(null);
  const [drag, setDrag] = useState<Stretch | null>(null);
  const anchor = useRef(-1);
  const bins = useMemo(
    () => heatBins(cells, partitions, buckets, width),
    [cells, partitions, buckets, width],
  );
  const columnWidth = width / bins.columns;
  const rowHeight = HEIGHT / buckets;

  const paint = useCallback(() => {
    const host = box.current;
    const context = canvas.current && prepareCanvas(canvas.current, width, HEIGHT);
    if (!host || !context) return;
    const colour = readColours(host, ['ink', 'surface', 'bad-fill']);
    // Pixel edges are shared out whole, so that neighbours neither overlap nor leave a seam.
    const x = (column: number) => Math.round(column * columnWidth);
    const y = (bucket: number) => Math.round(bucket * rowHeight);
    const odd: [x: number, y: number, w: number, h: number][] = [];
    context.fillStyle = colour.ink;
    for (let column = 0; column < bins.columns; column += 1) {
      for (let bucket = 0; bucket < buckets; bucket += 1) {
        const cell = column * buckets + bucket;
        const w = x(column + 1) - x(column);
        const h = y(bucket + 1) - y(bucket);
        context.globalAlpha = inkShare(bins.rows[cell] ?? 0, bins.most);
        context.fillRect(x(column), y(bucket), w, h);
        if (bins.unexplained[cell] === 1) odd.push([x(column), y(bucket), w, h]);
      }
    }
    context.globalAlpha = 1;
    // Last, 5 px at least and on a ring of the ground: one among 20,000 must be found at a glance.
    for (const [left, top, w, h] of odd) {
      const oddWidth = Math.max(ODD_PX, w);
      const oddHeight = Math.max(ODD_PX, h);
      const cx = left + (w - oddWidth) / 2;
      const cy = top + (h - oddHeight) / 2;
      context.fillStyle = colour.surface;
      context.fillRect(cx - 1, cy - 1, oddWidth + 2, oddHeight + 2);
      context.fillStyle = colour['bad-fill'];
      context.fillRect(cx, cy, oddWidth, oddHeight);
    }
  }, [box, bins, buckets, columnWidth, rowHeight, width]);

  useLayoutEffect(paint, [paint]);
  useEffect(() => watchColours(paint), [paint]);

  const under = (event: PointerEvent): Place | null => {
    const area = canvas.current?.getBoundingClientRect();
    if (!area) return null;
    const column = Math.floor((event.clientX - area.left) / columnWidth);
    const bucket = Math.floor((event.clientY - area.top) / rowHeight);
    const inside = column >= 0 && column < bins.columns && bucket >= 0 && bucket < buckets;
    return inside ? { column, bucket } : null;
  };
  const of = (column: number) => columnPartitions(column, bins.columns, partitions);
  /** The partitions of two columns and all between. */
  const between = (a: number, b: number): Stretch => ({
    from: of(Math.min(a, b))[0],
    to: of(Math.max(a, b))[1],
  });
  const open = (place: Place | null) => {
    if (place) onSelect?.({ ...between(place.column, place.column), bucket: place.bucket });
  };
  const down = (event: PointerEvent<HTMLCanvasElement>) => {
    // a finger scrolls
    if (event.button !== 0 || event.pointerType === 'touch') return;
    anchor.current = under(event)?.column ?? -1;
    if (anchor.current >= 0) event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const place = under(event);
    setAt(place);
    if (anchor.current < 0 || !place || (place.column === anchor.current && !drag)) return;
    setDrag(between(anchor.current, place.column));
  };
  const up = (event: PointerEvent) => {
    anchor.current = -1;
    setDrag(null);
    if (drag) onSelect?.({ ...drag, bucket: null });
    else open(under(event));
  };
  const key = (event: KeyboardEvent) => {
    const { column, bucket } = at ?? { column: 0, bucket: 0 };
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
      PageUp: [-Math.ceil(bins.columns / 20), 0],
      PageDown: [Math.ceil(bins.columns / 20), 0],
      Home: [-bins.columns, 0],
      End: [bins.columns, 0],
    };
    const step = moves[event.key];
    if (step) {
      const to = {
        column: Math.min(bins.columns - 1, Math.max(0, column + step[0])),
        bucket: Math.min(buckets - 1, Math.max(0, bucket + step[1])),
      };
      setAt(to);
      if (event.shiftKey && to.column !== column) {
        const next = extended(selection, between(column, column), between(to.column, to.column));
        onSelect?.({ ...next, bucket: null });
      }
    } else if (event.key === 'Enter' || event.key === ' ') open(at);
    else return;
    event.preventDefault();
  };
  const told = (place: Place) => {
    const cell = place.column * buckets + place.bucket;
    const [from, to] = of(place.column);
    return [
      `${intervalText(edges, from, to)}, bucket ${place.bucket}`,
      `${to - from > 1 ? 'at most ' : ''}${countText(bins.rows[cell] ?? 0, 'row')}`,
      bins.unexplained[cell] === 1 ? 'some unexplained' : '',
    ]
      .filter(Boolean)
      .join(', ');
  };

  const bracket = drag ? { ...drag, bucket: null } : selection;
  const percent = (count: number, all: number) => `${(count / Math.max(1, all)) * 100}%`;

  return (
    <div className="heat">
      <div ref={box} className="heat-box">
        <canvas
          ref={canvas}
          style={{ height: HEIGHT }}
          tabIndex={0}
          role="slider"
          aria-label="Differing rows per partition and key bucket"
          aria-valuemin={1}
          aria-valuemax={bins.columns}
          aria-valuenow={(at?.column ?? 0) + 1}
          aria-valuetext={partitions > 0 ? told(at ?? { column: 0, bucket: 0 }) : 'none'}
          onPointerDown={down}
          onPointerMove={move}
          onPointerLeave={() => setAt(null)}
          onPointerCancel={() => {
            anchor.current = -1;
            setDrag(null);
          }}
          onPointerUp={up}
          onKeyDown={key}
          onBlur={() => setAt(null)}
        />
        {bracket && (
          <u
            style={{
              left: percent(bracket.from, partitions),
              width: percent(bracket.to - bracket.from, partitions),
              top: percent(bracket.bucket ?? 0, buckets),
              height: percent(bracket.bucket === null ? buckets : 1, buckets),
            }}
          />
        )}
        {at && (
          <CellTip at={{ x: at.column * columnWidth, y: at.bucket * rowHeight + 12 }} width={width}>
            {told(at)}
            <span>{intervalUtc(edges, ...of(at.column))}</span>
          </CellTip>
        )}
      </div>
      <div className="ticks">
        <span>{edges.text[0]}</span>
        <span className="hide-m">{edges.text[Math.floor(partitions / 2)]}</span>
        <span>{edges.text[partitions]}</span>
      </div>
      <HeatmapList cells={cells} edges={edges} hrefOf={hrefOf} />
    </div>
  );
}

/** The legend of the heatmap, for the panel's head. */
export function HeatmapLegend({ most, unexplained }: { most: number; unexplained: number }) {
  return (
    <span className="row s m">
      0<span className="ramp" aria-hidden="true" />
      {countText(most, 'row')}
      <span className="leg">
        <span>
          <svg width="10" height="10" aria-hidden="true" focusable="false">
            <rect width="10" height="10" rx="2" fill="var(--bad-fill)" />
          </svg>
          unexplained <b>{figureText(unexplained)}</b>
        </span>
      </span>
    </span>
  );
}
