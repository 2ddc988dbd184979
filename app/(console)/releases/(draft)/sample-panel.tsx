'use client';

import { useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { ProblemNote } from '@/components/release/problem-note';
import { RowDiff } from '@/components/release/row-diff';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import { plural } from '@/lib/domain/figures';
import { sampleDraft } from './actions';
import type { SampleView } from './sample';

/**
 * Old and new rows of one partition, from the newest facts. It reads what is kept, so what is typed
 * is saved first.
 */
export function SamplePanel({
  partition,
  keep,
  dirty,
}: {
  /** Start of the partition, and both ends in words; null where there is no plan. */
  partition: { start: string; text: string } | null;
  /** Keeps what is typed; answers the draft's name, or null where that was refused. */
  keep: () => Promise<string | null>;
  dirty: boolean;
}) {
  const [sample, setSample] = useState<{ text: string; view: SampleView } | null>(null);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [pending, once] = useOnce();

  const run = () =>
    once(async () => {
      if (!partition) return;
      const release = await keep();
      if (release === null) return;
      const result = await sampleDraft({ release, partition: partition.start }).catch(() => null);
      if (result?.ok) {
        setSample({ text: partition.text, view: result.value });
        setProblem(null);
      } else {
        setProblem(
          result?.problem ?? { code: 'NO_ANSWER', title: 'The sample did not answer; try again.' },
        );
      }
    });

  return (
    <Panel
      title="Dry sample"
      note={sample?.text ?? partition?.text}
      flush
      aside={
        <Button size="sm" icon="play" pending={pending} disabled={!partition} onClick={run}>
          {pending ? 'Running…' : dirty ? 'Save and run one partition' : 'Run one partition'}
        </Button>
      }
    >
      {problem && (
        <div className="pad">
          <ProblemNote problem={problem} />
        </div>
      )}
      {sample ? (
        <SampleRows view={sample.view} />
      ) : (
        <div className="pad">
          <Empty title="No sample was run.">
            {partition
              ? 'It shows what the new transform makes of one partition’s rows, beside what is in use. Choose another partition in the calendar. Nothing is written.'
              : 'It needs a plan: a range on partition edges, and nothing at fault.'}
          </Empty>
        </div>
      )}
    </Panel>
  );
}

function SampleRows({ view }: { view: SampleView }) {
  const { counts } = view;
  return (
    <>
      <p className="pad s m" role="status">
        {plural(counts.old, 'row')} in use{view.cut && ', the first ones by key'}: {counts.changed}{' '}
        change, {counts.removed} go, {counts.added} are new.
      </p>
      {view.errors.length > 0 && (
        <div className="pad">
          <Note tone="bad" title={`${plural(view.errors.length, 'source row')} cannot be computed`}>
            <ul>
              {view.errors.map(({ sourceKey, error }) => (
                <li key={`${sourceKey} ${error}`}>
                  <span className="mono">{sourceKey}</span> {error}
                </li>
              ))}
            </ul>
          </Note>
        </div>
      )}
      {view.rows.length > 0 && (
        <RowDiff
          once={view.once}
          compared={view.compared}
          rows={view.rows}
          withControl={false}
          caption="Sample: old and new rows"
        />
      )}
    </>
  );
}
