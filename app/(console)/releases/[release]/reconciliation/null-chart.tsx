'use client';

import { useState } from 'react';
import { TwoSeriesBars, type TwoSeriesPoint } from '@/components/charts/two-series-bars';
import { Select } from '@/components/ui/field';

interface Series {
  name: string;
  /** Share that the contract allows, 0 to 1. */
  limit: number | null;
  points: TwoSeriesPoint[];
}

/** One column's NULLs over time; a select where several columns have some. */
export function NullChart({ series }: { series: readonly Series[] }) {
  const [name, setName] = useState(series[0]?.name ?? '');
  const shown = series.find((each) => each.name === name) ?? series[0];
  if (!shown) return null;
  return (
    <div className="col">
      {series.length > 1 ? (
        <Select
          label="Column"
          value={shown.name}
          onChange={(event) => setName(event.target.value)}
          options={series.map((each) => ({ value: each.name, label: each.name }))}
        />
      ) : (
        <p className="s m">
          Column <span className="mono">{shown.name}</span>
        </p>
      )}
      <TwoSeriesBars
        label={`Share of NULL in ${shown.name}, old and new`}
        points={shown.points}
        unit="%"
        {...(shown.limit === null
          ? {}
          : { limit: { value: shown.limit * 100, text: `limit ${shown.limit * 100} %` } })}
      />
    </div>
  );
}
