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
import { prepareCanvas, readColours } from './canvas-colours';
import { CellTip } from './cell-tip';
import { columnPartitions, type HeatCell, heatBins, inkShare, strongest } from './heatmap-bins';
import { type Edges, intervalText, intervalUtc } from './partition-cells';

const HEIGHT = 192;
const LISTED = 20;
const ODD_PX = 5;

/**
 * Differences per partition and key bucket: ink by how many rows differ, red for a bucket with an
 * unexplained row. A press on a cell answers with its partition and bucket; the
 * strongest cells are listed below for those who do not see the picture.
 */
export function DiffHeatmap({
  edges,
  partitions,
  buckets = 64,
  cells,
  onSelect,
}: {
  edges: Edges;
  partitions: number;
  buckets?: number;
  /** Only those that differ. */
  cells: readonly HeatCell[];
  onSelect?: (partition: number, bucket: number) => void;
}) {
  const [box, width] = useWidth<HTMLDivElement>(1032);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<{ column: number; bucket: number } | null>(null);
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

  const under = (event: PointerEvent) => {
    const area = canvas.current?.getBoundingClientRect();
    if (!area) return null;
    const column = Math.floor((event.clientX - area.left) / columnWidth);
    const bucket = Math.floor((event.clientY - area.top) / rowHeight);
    const inside = column >= 0 && column < bins.columns && bucket >= 0 && bucket < buckets;
    return inside ? { column, bucket } : null;
  };
  const open = (place: { column: number; bucket: number } | null) => {
    if (place)
      onSelect?.(columnPartitions(place.column, bins.columns, partitions)[0], place.bucket);
  };
  const key = (event: KeyboardEvent) => {
    const { column, bucket } = at ?? { column: 0, bucket: 0 };
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
      Home: [-bins.columns, 0],
      End: [bins.columns, 0],
    };
    const move = moves[event.key];
    if (move) {
      setAt({
        column: Math.min(bins.columns - 1, Math.max(0, column + move[0])),
        bucket: Math.min(buckets - 1, Math.max(0, bucket + move[1])),
      });
    } else if (event.key === 'Enter' || event.key === ' ') open(at);
    else return;
    event.preventDefault();
  };
  const told = (place: { column: number; bucket: number }) => {
    const cell = place.column * buckets + place.bucket;
    const [from, to] = columnPartitions(place.column, bins.columns, partitions);
    return [
      `${intervalText(edges, from, to)}, bucket ${place.bucket}`,
      `${to - from > 1 ? 'at most ' : ''}${countText(bins.rows[cell] ?? 0, 'row')}`,
      bins.unexplained[cell] === 1 ? 'some unexplained' : '',
    ]
      .filter(Boolean)
      .join(', ');
  };

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
          onPointerMove={(event) => setAt(under(event))}
          onPointerLeave={() => setAt(null)}
          onPointerUp={(event) => open(under(event))}
          onKeyDown={key}
          onBlur={() => setAt(null)}
        />
        {at && (
          <CellTip at={{ x: at.column * columnWidth, y: at.bucket * rowHeight + 12 }} width={width}>
            {told(at)}
            <span>
              {intervalUtc(edges, ...columnPartitions(at.column, bins.columns, partitions))}
            </span>
          </CellTip>
        )}
      </div>
      <div className="ticks">
        <span>{edges.text[0]}</span>
        <span className="hide-m">{edges.text[Math.floor(partitions / 2)]}</span>
        <span>{edges.text[partitions]}</span>
      </div>
      <Strongest cells={cells} edges={edges} />
    </div>
  );
}

function Strongest({ cells, edges }: { cells: readonly HeatCell[]; edges: Edges }) {
  const listed = useMemo(() => strongest(cells, LISTED), [cells]);
  if (listed.length === 0) return null;
  return (
    <details className="s heat-list">
      <summary>
        The {countText(listed.length, 'strongest cell', 'strongest cells')} as a list
      </summary>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Partition</th>
              <th scope="col" className="n">
                Bucket
              </th>
              <th scope="col" className="n">
                Rows
              </th>
              <th scope="col" className="n">
                Unexplained
              </th>
            </tr>
          </thead>
          <tbody>
            {listed.map(([partition, bucket, rows, unexplained = 0]) => (
              <tr key={`${partition} ${bucket}`}>
                <td>{intervalText(edges, partition)}</td>
                <td className="n">{bucket}</td>
                <td className="n">{figureText(rows)}</td>
                <td className={unexplained > 0 ? 'n bad' : 'n'}>{figureText(unexplained)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
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
