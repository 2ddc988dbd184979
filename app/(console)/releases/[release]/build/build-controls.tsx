'use client';

import { type FormEvent, useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { newKey } from '@/components/release/confirm-dialog';
import { PrimaryAction } from '@/components/release/primary-action';
import { ProblemNote } from '@/components/release/problem-note';
import { StateBadge } from '@/components/release/state-badge';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/field';
import { Facts } from '@/components/ui/figure';
import { countText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { say } from '@/components/ui/toaster';
import type { BuildView } from '@/lib/queries/build-view';
import { type Move, words } from '../../../_parts/use-move';
import { When } from '../../../_parts/when';
import type { BuildCan } from './build-tab';

interface Props {
  data: BuildView;
  can: BuildCan;
  move: Move;
}

const PAUSABLE = new Set([
  'SNAPSHOT_PINNED',
  'BUILDING',
  'INGRESS_SEALED',
  'CAUGHT_UP',
  'RECONCILED',
  'APPROVED',
  'RECONCILIATION_REQUIRED',
]);

/** What may be changed while it builds: how many at once, and whether at all. */
export function BuildControls(props: Props) {
  const { data } = props;
  return (
    <Panel
      title="Limits"
      aside={
        data.paused ? (
          <StateBadge flag="paused" pill />
        ) : (
          data.held && <StateBadge flag="held" pill />
        )
      }
    >
      <Facts
        items={[
          {
            term: 'At once',
            value: `${data.building} of ${data.concurrency ?? data.ceiling}, at most ${data.ceiling}`,
          },
          {
            term: 'Stop-loss',
            value:
              data.stopLoss === null
                ? 'none'
                : `${data.failed} of ${countText(data.stopLoss, 'failed partition')}`,
          },
          {
            term: 'Snapshot',
            value: data.snapshot
              ? data.snapshot.ready
                ? `${countText(Number(data.snapshot.rows), 'fact')}, written`
                : 'being written'
              : 'none yet',
          },
          ...flagFacts('Paused', data.paused, data.zone),
          ...flagFacts('Held', data.held, data.zone),
        ]}
      />
      {PAUSABLE.has(data.state) && <Changes {...props} />}
    </Panel>
  );
}

function flagFacts(term: string, flag: BuildView['paused'], zone: string) {
  if (!flag) return [];
  return [
    {
      term,
      value: (
        <>
          by {flag.by}, <When zone={zone} at={flag.at} />
          {flag.why && <span className="s m"> {flag.why}</span>}
        </>
      ),
    },
  ];
}

function Changes({ data, can, move }: Props) {
  const pausing = data.paused === null ? can['release.pause'] : can['release.resume'];
  if (!can['release.limits'] && !pausing) return null;
  return (
    <div className="sub col">
      {can['release.limits'] && <LimitForm data={data} move={move} />}
      {pausing && (
        <PrimaryAction
          label={data.paused ? 'Resume' : 'Pause…'}
          pendingLabel={data.paused ? 'Resuming…' : 'Pausing…'}
          variant="plain"
          wide
          icon={data.paused ? 'play' : 'pause'}
          {...(data.paused
            ? {}
            : {
                confirm: {
                  title: `Pause ${data.release}?`,
                  body: <p>No new partition is taken. What runs is finished, nothing is undone.</p>,
                  comment: 'optional' as const,
                  commentLabel: 'Why, for who finds it paused',
                  confirmLabel: 'Pause',
                },
              })}
          action={({ comment, key }) => move(data.paused ? 'resume' : 'pause', words(comment), key)}
          onDone={() => {
            say(data.paused ? 'The build goes on' : 'Paused; what runs is finished');
          }}
        />
      )}
    </div>
  );
}

/** Live within the frozen ceiling: a release’s own budget is the most that it may be given. */
function LimitForm({ data, move }: Omit<Props, 'can'>) {
  const now = data.concurrency ?? data.ceiling;
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [pending, once] = useOnce();
  const wanted = Number(text ?? now);
  const wrong = !Number.isInteger(wanted) || wanted < 1 || wanted > data.ceiling;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wrong || wanted === now) return;
    void once(async () => {
      const result = await move('limits', { concurrency: wanted }, newKey());
      setProblem(result.ok ? null : result.problem);
      if (!result.ok) return;
      say(`At most ${wanted} at once`);
      setText(null);
    });
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <div className="with-btn">
        <Input
          label="Partitions at once"
          number
          value={text ?? String(now)}
          onChange={(event) => setText(event.target.value)}
          error={wrong ? `A whole number from 1 to ${data.ceiling}, which was frozen.` : undefined}
        />
        <Button type="submit" pending={pending} aria-disabled={wrong || wanted === now}>
          {pending ? 'Changing…' : 'Change'}
        </Button>
      </div>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
