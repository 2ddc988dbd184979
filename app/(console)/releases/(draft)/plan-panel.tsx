'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { Calendar } from '@/components/charts/calendar';
import { DigestChip } from '@/components/ui/digest-chip';
import { Empty } from '@/components/ui/empty';
import { BigFigure, Facts, Figure } from '@/components/ui/figure';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import { type EdgeTexts, unpackEdges } from '@/lib/domain/edge-runs';
import { formatCount, nOfM, plural } from '@/lib/domain/figures';
import { type PlanEntry, planEntries } from './plan-entries';
import type { PlanPreview } from './preview';

/** The exact partitions that a pin would freeze now, short and long ones marked. */
export function PlanPanel({
  plan,
  dataset,
  selected,
  onSelect,
}: {
  plan: PlanPreview | null;
  dataset: string;
  selected: number;
  onSelect: (index: number) => void;
}) {
  const edges = useMemo(() => (plan ? unpackEdges(plan.packed) : null), [plan]);
  if (!plan || !edges || plan.count === 0) {
    return (
      <Panel title="What will run">
        <Empty title="No plan yet.">
          {plan
            ? 'The range holds no partition with a row; an open range goes through the last one that has any.'
            : 'It appears as soon as the range lies on partition edges and nothing is at fault.'}
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel title="What will run" aside={<DigestChip label="plan" value={plan.digest} />}>
      <div className="figs two">
        <BigFigure
          value={formatCount(plan.count)}
          label={plural(plan.count, 'partition').replace(/^\S+ /, '')}
        />
        <BigFigure value={`${formatCount(Math.round(plan.hours))} h`} label={oddText(plan)} />
      </div>
      <div className="plan-calendar">
        <Calendar
          unit={plan.unit}
          edges={edges}
          states={'p'.repeat(plan.count)}
          odd={plan.odd}
          oddLabel={plan.unit === 'day' ? '23 h or 25 h' : 'of another length'}
          selected={selected}
          onSelect={onSelect}
          label="Planned partitions"
        />
      </div>
      <PlanLines plan={plan} edges={edges} />
      {plan.sealed.count > 0 && <SealedInPlan plan={plan} dataset={dataset} />}
      <div className="sub">
        <Facts
          numbers
          items={[
            { term: 'Rows in use there', value: <Figure value={plan.rows} /> },
            {
              term: 'Partitions with rows',
              value: nOfM(plan.partitionsWithRows, plan.count),
            },
          ]}
        />
      </div>
    </Panel>
  );
}

/** What becomes of those that were published. */
function SealedInPlan({ plan: { sealed, unit }, dataset }: { plan: PlanPreview; dataset: string }) {
  const { count, first, policy } = sealed;
  const begin = first[0];
  return (
    <div className="sub">
      <p className={policy === 'REFUSE' ? 'st bad' : 'st seal'}>
        <Icon name="lock" />
        {plural(count, unit)} of it {count === 1 ? 'was' : 'were'} published
      </p>
      <p className="s m">
        {policy === 'REFUSE'
          ? 'The release says that it leaves published partitions alone, so it cannot be pinned over them. Leave them out of the range, or have it correct them.'
          : 'They go on being served as published. The cutover writes a correction of each that would be another one now.'}{' '}
        {begin && (
          <Link
            href={`/corrections?${new URLSearchParams({ dataset, from: begin.start })}`}
            title={first.map(({ text }) => text).join(', ')}
          >
            The first begins {begin.text}
          </Link>
        )}
        .
      </p>
    </div>
  );
}

/** "one 23 h, one 25 h" */
function oddText({ odd, unit }: PlanPreview): string {
  if (odd.length === 0) return `every ${unit} as long as usual`;
  const counts = new Map<string, number>();
  for (const { text } of odd) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .slice(0, 4)
    .map(([text, count]) => `${count === 1 ? 'one' : count} ${text}`)
    .join(', ');
}

function hoursText(seconds: number): string {
  const hours = Math.round((seconds / 3600) * 100) / 100;
  return hours < 1 ? `${Math.round(seconds / 60)} min` : `${hours} h`;
}

function PlanLines({ plan, edges }: { plan: PlanPreview; edges: EdgeTexts }) {
  const entries = planEntries(plan.packed, new Set(plan.odd.map(({ index }) => index)));
  return (
    <ul className="plan-lines sub" aria-label="The plan in short">
      {entries.map((entry, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are told by their order.
        <PlanLine key={at} entry={entry} edges={edges} />
      ))}
    </ul>
  );
}

function PlanLine({ entry, edges }: { entry: PlanEntry; edges: EdgeTexts }) {
  if (entry.kind === 'more') {
    return (
      <li className="gap q">
        {formatCount(entry.count)} more{entry.seconds > 0 && ` of ${hoursText(entry.seconds)}`}
      </li>
    );
  }
  const { index, seconds, odd } = entry;
  return (
    <li title={`[${edges.utc[index]}, ${edges.utc[index + 1]})`}>
      <span className="nw">[{edges.text[index]},</span>{' '}
      <span className="nw">{edges.text[index + 1]})</span>
      <span className="push nw">
        {odd && <Icon name="warn" className="wait" label="of another length:" />}{' '}
        {hoursText(seconds)}
      </span>
    </li>
  );
}
