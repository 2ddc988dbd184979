'use client';

import { useEffect, useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { ProblemNote } from '@/components/release/problem-note';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Skeleton } from '@/components/ui/skeleton';
import { Between } from '../_parts/when';
import { type Asked, readQuestions } from './actions';
import { QuestionsForm } from './questions-form';
import { unitsText } from './words';

/** The range that is to be run: instants, on partition edges. */
export interface RunRange {
  dataset: string;
  from: string;
  to: string;
}

/**
 * What is asked before a range is computed again. The facts are read when the dialog opens, from the
 * tables; opening it writes nothing.
 */
export function RunDialog({
  open,
  onOpenChange,
  range,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  range: RunRange;
}) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [pending, once] = useOnce();
  const { dataset, from, to } = range;

  useEffect(() => {
    if (!open) return;
    let gone = false;
    setAsked(null);
    setProblem(null);
    void readQuestions({ dataset, from, to }).then(
      (result) => {
        if (gone) return;
        if (result.ok) setAsked(result.value);
        else setProblem(result.problem);
      },
      () => {
        if (!gone) setProblem({ code: 'NO_ANSWER', title: 'No answer came back.' });
      },
    );
    return () => {
      gone = true;
    };
  }, [open, dataset, from, to]);

  const count = asked?.questions.partitions.count ?? 0;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      locked={pending}
      wide
      title={
        asked === null
          ? `Run ${dataset} again?`
          : `Run ${count === 1 ? `this ${asked.unit}` : unitsText(count, asked.unit)} of ${dataset} again?`
      }
      summary={
        asked && (
          <p>
            <Between zone={asked.zone} from={from} to={to} />. Each partition is computed from the
            log and replaced whole; what is claimed or sealed is left alone and told.
          </p>
        )
      }
    >
      {problem && (
        <>
          <ProblemNote problem={problem} />
          <div className="form-end">
            <Button onClick={() => onOpenChange(false)}>Close</Button>
          </div>
        </>
      )}
      {!problem && asked === null && (
        <div className="col" aria-busy="true">
          <p className="sr">Reading what is there</p>
          {[88, 62, 74, 50, 80, 58].map((width) => (
            <div key={width} style={{ height: 20 }}>
              <Skeleton width={`${width}%`} />
            </div>
          ))}
        </div>
      )}
      {asked && (
        <QuestionsForm
          asked={asked}
          pending={pending}
          once={once}
          onLeave={() => onOpenChange(false)}
        />
      )}
    </Dialog>
  );
}
