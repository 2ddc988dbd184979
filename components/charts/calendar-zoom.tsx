'use client';

import { Icon } from '@/components/ui/icon';
import { ZOOMS } from './calendar-geometry';

/** Larger and smaller cells, where all of time does not fit. */
export function CalendarZoom({ zoom, setZoom }: { zoom: number; setZoom: (zoom: number) => void }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame of its own.
    <div className="cal-zoom" role="group" aria-label="Zoom">
      <button
        type="button"
        className="btn sm"
        disabled={zoom === 0}
        onClick={() => setZoom(0)}
        title="All in view"
      >
        <Icon name="fit" />
        All
      </button>
      <button
        type="button"
        className="btn sm"
        disabled={zoom === 0}
        onClick={() => setZoom(zoom - 1)}
        aria-label="Smaller cells"
      >
        <Icon name="less" />
      </button>
      <button
        type="button"
        className="btn sm"
        disabled={zoom === ZOOMS.length}
        onClick={() => setZoom(zoom + 1)}
        aria-label="Larger cells"
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}
