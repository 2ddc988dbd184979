'use client';

import Link from 'next/link';
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { countText, figureText } from '@/components/ui/figure-text';
import { type Edges, intervalText, intervalUtc, type Stretch, stretchOf } from './partition-cells';
import { countsIn, mergeSpans, spanAt, stripSpans } from './strip-spans';

/** How near to an end of the bracket takes hold of it. */
const GRIP_PX = 8;

/**
 * All partitions as one band, oldest first: equal neighbours merge, a failure is at least 2 px wide
 * and taller than the band. A drag draws a bracket and names the interval; a press takes the span
 * under it; the bracket's ends are sliders for the keyboard; Escape takes it away.
 */
export function Strip({
  edges,
  states,
  selection,
  onSelect,
  hrefOf,
  label = 'Strip, oldest first',
}: {
  edges: Edges;
  /** One code per partition, see `cellCodes`. */
  states: string;
  /** Held by the page (in the URL), with `onSelect`; else by the strip. */
  selection?: Stretch | null;
  onSelect?: (selection: Stretch | null) => void;
  /** Where the partitions of a selection are listed. */
  hrefOf?: (selection: Stretch) => string;
  label?: string;
}) {
  const count = states.length;
  const [own, setOwn] = useState<Stretch | null>(null);
  const [drag, setDrag] = useState<Stretch | null>(null);
  const anchor = useRef(-1);
  const band = useRef<HTMLDivElement>(null);
  // Built is built here: a partition without rows each weekend would cut the band to pieces.
  const shown = useMemo(() => states.replaceAll('e', 'b'), [states]);
  const { band: spans, failures } = useMemo(() => stripSpans(shown), [shown]);
  const chosen = drag ?? (selection === undefined ? own : selection);

  const select = (next: Stretch | null) => {
    setOwn(next);
    onSelect?.(next);
  };
  const partition = (event: PointerEvent) => {
    const area = band.current?.getBoundingClientRect();
    if (!area || area.width === 0) return 0;
    const at = Math.floor(((event.clientX - area.left) / area.width) * count);
    return Math.min(count - 1, Math.max(0, at));
  };
  /** Near an end of the bracket a drag moves that end: its anchor is the partition at the other. */
  const nearEnd = (event: PointerEvent): number | null => {
    const area = band.current?.getBoundingClientRect();
    if (!area || !chosen) return null;
    const away = (at: number) => Math.abs(event.clientX - area.left - (at / count) * area.width);
    if (away(chosen.to) <= GRIP_PX && away(chosen.to) <= away(chosen.from)) return chosen.from;
    return away(chosen.from) <= GRIP_PX ? chosen.to - 1 : null;
  };
  const down = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0 || count === 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const end = nearEnd(event);
    anchor.current = end ?? partition(event);
    if (end !== null) setDrag(chosen);
  };
  const move = (event: PointerEvent) => {
    if (anchor.current < 0) return;
    const at = partition(event);
    if (drag || at !== anchor.current) setDrag(stretchOf(anchor.current, at));
  };
  const up = (event: PointerEvent) => {
    if (anchor.current < 0) return;
    const at = partition(event);
    const pressed = anchor.current;
    anchor.current = -1;
    setDrag(null);
    if (drag) select(stretchOf(pressed, at));
    else {
      // What was pressed is the true span, not the piece that was drawn for it.
      const span = spanAt(mergeSpans(shown), at);
      if (span) select({ from: span.from, to: span.to });
    }
  };

  const percent = (at: number) => `${(at / Math.max(1, count)) * 100}%`;
  const counts = chosen ? countsIn(states, chosen.from, chosen.to) : null;
  const failed = counts?.get('f') ?? 0;
  const text = chosen && countText(chosen.to - chosen.from, 'partition');

  return (
    <div className="strip-box">
      <div className="row s m strip-head">
        <span>{label}</span>
        <span className="push" role="status">
          {chosen ? (
            <>
              selected:{' '}
              <span title={intervalUtc(edges, chosen.from, chosen.to)}>
                {intervalText(edges, chosen.from, chosen.to)}
              </span>{' '}
              · {hrefOf && text ? <Link href={hrefOf(chosen)}>{text}</Link> : text}
              {failed > 0 && `, ${figureText(failed)} failed`}
            </>
          ) : (
            <span className="q">Drag to select.</span>
          )}
        </span>
      </div>
      <div
        ref={band}
        className="strip"
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={() => {
          anchor.current = -1;
          setDrag(null);
        }}
      >
        {spans.map((span) => (
          <i
            key={span.from}
            className={span.code}
            style={{ left: percent(span.from), width: percent(span.to - span.from) }}
          />
        ))}
        {failures.map((span) => (
          <i
            key={span.from}
            className={`${span.code} over`}
            style={{ left: percent(span.from), width: percent(span.to - span.from) }}
          />
        ))}
        {chosen && (
          <u style={{ left: percent(chosen.from), width: percent(chosen.to - chosen.from) }} />
        )}
        <End
          which="from"
          chosen={chosen}
          count={count}
          edges={edges}
          percent={percent}
          select={select}
        />
        <End
          which="to"
          chosen={chosen}
          count={count}
          edges={edges}
          percent={percent}
          select={select}
        />
      </div>
      <div className="ticks q">
        <span>{edges.text[0]}</span>
        <span className="hide-m">{edges.text[Math.floor(count / 2)]}</span>
        <span>{edges.text[count]}</span>
      </div>
    </div>
  );
}

/** One end of the bracket, as a slider. Before anything is selected the two stand at the ends. */
function End({
  which,
  chosen,
  count,
  edges,
  percent,
  select,
}: {
  which: 'from' | 'to';
  chosen: Stretch | null;
  count: number;
  edges: Edges;
  percent: (at: number) => string;
  select: (selection: Stretch | null) => void;
}) {
  const now = chosen ?? { from: 0, to: count };
  const at = now[which];
  const low = which === 'from' ? 0 : now.from + 1;
  const high = which === 'from' ? now.to - 1 : count;
  const key = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.round(count / 20));
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -page,
      PageUp: page,
      Home: -count,
      End: count,
    };
    const step = steps[event.key];
    if (event.key === 'Escape' && chosen) select(null);
    else if (step !== undefined) {
      select({ ...now, [which]: Math.min(high, Math.max(low, at + step)) });
    } else return;
    event.preventDefault();
  };
  return (
    <span
      className="strip-end"
      style={{ left: percent(at) }}
      role="slider"
      tabIndex={0}
      aria-label={which === 'from' ? 'Selected from' : 'Selected to, not included'}
      aria-valuemin={low}
      aria-valuemax={Math.max(low, high)}
      aria-valuenow={at}
      aria-valuetext={`${edges.text[at] ?? ''} ${edges.zone}${chosen ? '' : ', nothing selected'}`}
      onKeyDown={key}
    />
  );
}
