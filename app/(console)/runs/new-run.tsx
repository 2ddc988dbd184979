'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { ProblemNote } from '@/components/release/problem-note';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Input, Select } from '@/components/ui/field';
import { Panel } from '@/components/ui/panel';
import type { RunDataset } from '@/lib/queries/run-partitions';
import type { Problem } from '@/lib/web/problem';
import { edgeText } from '../_parts/when';
import { readQuestions } from './actions';
import { RunDialog, type RunRange } from './run-dialog';

type Side = 'from' | 'to';

/** A range to run, typed: it is checked first, and asked about then. */
export function NewRun({
  datasets,
  initial,
}: {
  datasets: readonly RunDataset[];
  initial: string | null;
}) {
  const router = useRouter();
  const [dataset, setDataset] = useState(initial ?? datasets[0]?.name ?? '');
  const [typed, setTyped] = useState({ from: '', to: '' });
  const [problem, setProblem] = useState<Problem | null>(null);
  const [range, setRange] = useState<RunRange | null>(null);
  const [open, setOpen] = useState(false);
  const [pending, once] = useOnce();
  const { zone = 'UTC', unit = 'partition' } = datasets.find(({ name }) => name === dataset) ?? {};

  const issueOf = (side: Side) =>
    problem?.issues?.find(({ pointer }) => pointer === `/${side}`) ?? null;
  const apart = problem && !issueOf('from') && !issueOf('to') ? problem : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void once(async () => {
      const result = await readQuestions({ dataset, ...typed });
      setProblem(result.ok ? null : result.problem);
      if (!result.ok) return;
      setRange({ dataset, ...result.value.questions.range });
      setOpen(true);
    });
  };
  return (
    <Panel title="New run" id="new">
      <form className="form" onSubmit={submit} noValidate aria-label="New run">
        <div className="fields">
          <Select
            label="Dataset"
            value={dataset}
            options={datasets.map(({ name }) => ({ value: name, label: name }))}
            onChange={(event) => {
              setDataset(event.target.value);
              setProblem(null);
            }}
          />
          {(['from', 'to'] as const).map((side) => (
            <EdgeField
              key={side}
              side={side}
              zone={zone}
              unit={unit}
              value={typed[side]}
              issue={issueOf(side)}
              onChange={(value) => setTyped({ ...typed, [side]: value })}
            />
          ))}
        </div>
        <div className="row">
          <Button type="submit" variant="go" pending={pending}>
            {pending ? 'Looking…' : 'Look at it…'}
          </Button>
          <span className="s m">
            Edges of a {unit}, as clocks in {zone} show them. Nothing is run yet: you are asked
            first.
          </span>
        </div>
        {apart && <ProblemNote problem={apart} />}
      </form>
      {range && (
        <RunDialog
          open={open}
          onOpenChange={(next) => {
            setOpen(next);
            if (!next) router.refresh();
          }}
          range={range}
        />
      )}
    </Panel>
  );
}

function EdgeField({
  side,
  zone,
  unit,
  value,
  issue,
  onChange,
}: {
  side: Side;
  zone: string;
  unit: string;
  value: string;
  issue: NonNullable<Problem['issues']>[number] | null;
  onChange: (value: string) => void;
}) {
  const edges = issue?.edges && 'before' in issue.edges ? issue.edges : null;
  const label = side === 'from' ? 'From' : 'To, not included';
  return (
    <div className="lab">
      <Input
        label={label}
        value={value}
        placeholder={side === 'from' ? '2011-01-04' : '2011-01-05'}
        autoComplete="off"
        error={
          issue && (edges ? `Inside a ${unit}; the nearest edges stand below.` : issue.message)
        }
        onChange={(event) => onChange(event.target.value)}
      />
      {edges && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame of its own.
        <div className="row" role="group" aria-label={`${label}: nearest edges`}>
          {[edges.before, edges.after].map((edge) => (
            <Button key={edge} size="sm" onClick={() => onChange(edgeText(zone, edge))}>
              {edgeText(zone, edge)}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
