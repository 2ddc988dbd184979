'use client';

import { useMemo, useState } from 'react';
import { Calendar } from '@/components/charts/calendar';
import { DiffHeatmap, HeatmapLegend } from '@/components/charts/diff-heatmap';
import { Sparkline } from '@/components/charts/sparkline';
import { SplitBar } from '@/components/charts/split-bar';
import { Strip } from '@/components/charts/strip';
import { ThroughputChart } from '@/components/charts/throughput-chart';
import { TwoSeriesBars } from '@/components/charts/two-series-bars';
import { Panel } from '@/components/ui/panel';
import { Segmented } from '@/components/ui/segmented';
import {
  days340,
  days50000,
  heat,
  hours8760,
  mixedStates,
  months40,
  nullShares,
  states340,
  throughput,
  weeks150,
} from './story';

const SIZES = {
  hours: { unit: 'hour', edges: hours8760, count: 8760 },
  many: { unit: 'day', edges: days50000, count: 50_000 },
  weeks: { unit: 'week', edges: weeks150, count: 150 },
  months: { unit: 'month', edges: months40, count: 40 },
} as const;

export function ChartSamples() {
  const [size, setSize] = useState<keyof typeof SIZES>('hours');
  const [range, setRange] = useState<{ from: number; to: number } | null>({ from: 297, to: 321 });
  const { unit, edges, count } = SIZES[size];
  const states = useMemo(() => mixedStates(count, 3), [count]);
  return (
    <>
      <Panel label="Coverage" id="coverage">
        <Calendar
          unit="day"
          edges={days340}
          states={states340}
          odd={[
            { index: 82, text: '23 h' },
            { index: 299, text: '25 h' },
          ]}
          selected={299}
          onRange={(from, to) => setRange({ from, to })}
          label="340 daily partitions"
          hrefBase="/specimen?partition="
        />
        <div className="sub">
          <Strip
            edges={days340}
            states={states340}
            selection={range}
            onSelect={setRange}
            hrefOf={() => '#coverage'}
          />
        </div>
      </Panel>
      <Panel
        title="Other units"
        aside={
          <Segmented
            label="Unit"
            value={size}
            onChange={setSize}
            options={[
              { value: 'hours', label: '8,760 hours' },
              { value: 'many', label: '50,000 days' },
              { value: 'weeks', label: '150 weeks' },
              { value: 'months', label: '40 months' },
            ]}
          />
        }
      >
        <Calendar
          key={size}
          unit={unit}
          edges={edges}
          states={states}
          label={`${count} partitions`}
        />
        <div className="sub">
          <Strip key={size} edges={edges} states={states} />
        </div>
      </Panel>
      <Panel
        title="Differences, partition × key bucket"
        note="312 partitions × 64 buckets, stronger is more rows"
        aside={<HeatmapLegend most={118} unexplained={1} />}
      >
        <DiffHeatmap edges={days340} partitions={312} cells={heat} />
      </Panel>
      <div className="grid g2">
        <Panel title="Null customers, % per month">
          <TwoSeriesBars
            label="Share of null customers per month, old and new"
            points={nullShares}
            unit="%"
            limit={{ value: 30, text: 'limit 30 %' }}
          />
        </Panel>
        <Panel title="Throughput">
          <ThroughputChart
            label="Rows per second and partitions that wait"
            points={throughput}
            queueUnit="partitions wait"
          />
        </Panel>
        <Panel title="Rows">
          <SplitBar
            label="Rows from old to new"
            parts={[
              { label: 'changed', count: 461_842, look: 'strong', href: '#diff' },
              { label: 'equal', count: 1343, look: 'weak' },
              { label: 'removed', count: 1096, look: 'hollow' },
              { label: 'unexplained', count: 4, look: 'bad' },
              { label: 'added', count: 0, look: 'hollow' },
            ]}
          />
        </Panel>
        <Panel title="Sparkline">
          <Sparkline label="lag, last 4 s" values={throughput.map((p) => p.rate)} />
        </Panel>
      </div>
    </>
  );
}
