'use client';

import Link from 'next/link';
import { type FormEvent, useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { PrimaryAction } from '@/components/release/primary-action';
import { ProblemNote } from '@/components/release/problem-note';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Input } from '@/components/ui/field';
import { countText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import { say } from '@/components/ui/toaster';
import { type ClaimRange, isReleaseOwner } from '@/lib/domain/claims';
import type { DatasetServing } from '@/lib/queries/dataset-serving';
import { Between, edgeText, When } from '../../_parts/when';
import { claimTyped, letGo } from './claim-actions';

interface Props {
  data: DatasetServing;
  /** Under which name the one who looks claims; null for who may not. */
  claiming: string | null;
  refresh: () => Promise<void>;
}

/** Who has reserved which partitions; for who may, claiming and letting go. */
export function ClaimsPanel({ data, claiming, refresh }: Props) {
  const { claims, claimCount, timezone } = data;
  const columns: Column<ClaimRange>[] = [
    {
      key: 'owner',
      head: 'Owner',
      card: { full: true },
      cell: ({ owner, by }) => (
        <>
          <b>{isReleaseOwner(owner) ? <Link href={`/releases/${owner}`}>{owner}</Link> : owner}</b>
          <span className="s">by {by}</span>
        </>
      ),
    },
    {
      key: 'range',
      head: 'Range',
      card: { full: true },
      cell: ({ from, to, partitions }) => (
        <>
          <Between zone={timezone} from={from} to={to} />
          <span className="s">{countText(partitions, 'partition')}</span>
        </>
      ),
    },
    {
      key: 'since',
      head: 'Since',
      number: true,
      card: { label: 'Since' },
      cell: ({ since }) => <When zone={timezone} at={since} />,
    },
  ];
  if (claiming !== null) {
    columns.push({
      key: 'act',
      head: <span className="sr">Let go</span>,
      number: true,
      cell: (range) =>
        isReleaseOwner(range.owner) ? (
          <span className="s q">until its cutover or end</span>
        ) : (
          <LetGo data={data} range={range} refresh={refresh} />
        ),
    });
  }
  return (
    <Panel title="Claims" id="claims" count={claimCount} flush>
      <DataTable<ClaimRange>
        caption="Claimed partitions"
        cards={2}
        rows={claims}
        rowKey={({ from }) => from}
        empty={
          <Empty title="No partition is claimed.">
            A claim reserves partitions for one owner: no release builds over it and no run writes
            to it. A release claims its own plan when its build starts.
          </Empty>
        }
        columns={columns}
      />
      {claimCount > claims.length && (
        <p className="pad s m">
          The first {claims.length} of {countText(claimCount, 'range')};{' '}
          <Link href={`/datasets/${data.name}/calendar`}>the calendar</Link> shows all.
        </p>
      )}
      {claiming !== null && <ClaimForm data={data} claiming={claiming} refresh={refresh} />}
    </Panel>
  );
}

function LetGo({ data, range, refresh }: Omit<Props, 'claiming'> & { range: ClaimRange }) {
  const { from, to, owner, partitions } = range;
  return (
    <PrimaryAction
      label="Let go…"
      pendingLabel="Letting go…"
      variant="plain"
      size="sm"
      confirm={{
        title: `Let go of ${countText(partitions, 'partition')} of ${owner}?`,
        body: (
          <p>
            <Between zone={data.timezone} from={from} to={to} /> is free for releases, runs and
            other owners from then on. Whoever works on it under this claim is not stopped.
          </p>
        ),
        confirmLabel: 'Let go',
      }}
      action={async () => {
        const result = await letGo({ dataset: data.name, from, to, owner });
        return result.ok ? { ok: true } : result;
      }}
      onDone={() => {
        say(`${owner} let go of ${countText(partitions, 'partition')}`);
        void refresh();
      }}
    />
  );
}

function ClaimForm({ data, claiming, refresh }: Props & { claiming: string }) {
  const blank = { from: '', to: '', owner: claiming };
  const [typed, setTyped] = useState(blank);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [denied, setDenied] = useState<readonly ClaimRange[]>([]);
  const [pending, once] = useOnce();
  const change = (more: Partial<typeof blank>) => setTyped({ ...typed, ...more });
  const missing = typed.from.trim() === '' || typed.to.trim() === '' || typed.owner.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (missing) return;
    void once(async () => {
      const owner = typed.owner.trim();
      const result = await claimTyped({ ...typed, owner, dataset: data.name });
      setProblem(result.ok ? null : result.problem);
      setDenied(result.ok ? result.value.denied : []);
      if (!result.ok) return;
      say(`${owner} holds ${countText(result.value.granted, 'partition')} of the range`);
      setTyped({ ...blank, owner });
      await refresh();
    });
  };
  return (
    <form className="form pad" onSubmit={submit} noValidate aria-label="Claim a range">
      <div className="fields">
        <Input
          label="From"
          value={typed.from}
          placeholder="2011-01-04"
          autoComplete="off"
          onChange={(event) => change({ from: event.target.value })}
        />
        <Input
          label="To, not included"
          value={typed.to}
          placeholder="2011-01-06"
          autoComplete="off"
          onChange={(event) => change({ to: event.target.value })}
        />
        <Input
          label="Owner"
          value={typed.owner}
          autoComplete="off"
          onChange={(event) => change({ owner: event.target.value })}
        />
      </div>
      <div className="row">
        <Button type="submit" pending={pending} aria-disabled={missing}>
          {pending ? 'Claiming…' : 'Claim'}
        </Button>
        <span className="s m">
          Edges of a {data.partition}, as clocks in {data.timezone} show them.
        </span>
      </div>
      {problem && <ProblemNote problem={problem} />}
      {denied.length > 0 && <Denied denied={denied} zone={data.timezone} />}
    </form>
  );
}

const mostShown = 5;

function Denied({ denied, zone }: { denied: readonly ClaimRange[]; zone: string }) {
  const count = denied.reduce((sum, { partitions }) => sum + partitions, 0);
  return (
    <Note tone="wait" live title={`${countText(count, 'partition')} of it others hold.`}>
      <ul>
        {denied.slice(0, mostShown).map(({ from, to, owner }) => (
          <li key={from}>
            {owner}: [{edgeText(zone, from)}, {edgeText(zone, to)})
          </li>
        ))}
        {denied.length > mostShown && <li>and {denied.length - mostShown} ranges more</li>}
      </ul>
    </Note>
  );
}
