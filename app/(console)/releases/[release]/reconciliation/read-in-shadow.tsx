'use client';

import type { ReactNode } from 'react';
import { ProblemNote } from '@/components/release/problem-note';
import { useSend } from '@/components/release/use-send';
import { Button } from '@/components/ui/button';
import { countText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { say } from '@/components/ui/toaster';
import { askShadow } from './shadow-actions';

const AGAIN = 'Press again: what is asked for already is not asked for twice.';

function useAsk(input: { release: string; reports?: string[] }) {
  const { send, problem, pending } = useSend();
  const ask = () =>
    void send(
      () => askShadow(input),
      ({ asked }) =>
        asked === 0
          ? say('It is asked for already')
          : say(
              `${countText(asked, 'shadow read is', 'shadow reads are')} asked for`,
              'What comes of it appears here.',
            ),
      AGAIN,
    );
  return { ask, problem, pending };
}

/** The panel, with the button that has all reports read; why that was refused stands below it. */
export function ShadowPanel({
  release,
  title,
  count,
  askable,
  children,
}: {
  release: string;
  title: ReactNode;
  count: number;
  askable: boolean;
  children: ReactNode;
}) {
  const { ask, problem, pending } = useAsk({ release });
  return (
    <Panel
      title={title}
      id="shadow"
      count={count}
      note="saved reports on both generations, not a gate"
      aside={
        askable && (
          <Button size="sm" pending={pending} onClick={ask}>
            {pending ? 'Asking…' : 'Read in shadow'}
          </Button>
        )
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {children}
    </Panel>
  );
}

/** Has one report read, for the first time on this release or once more. */
export function ReadOne({
  release,
  report,
  again,
}: {
  release: string;
  report: { id: string; name: string };
  again: boolean;
}) {
  const { ask, problem, pending } = useAsk({ release, reports: [report.id] });
  return (
    <>
      <Button size="sm" pending={pending} onClick={ask}>
        {pending ? 'Asking…' : again ? 'Read again' : 'Read'}
        <span className="sr">: {report.name}</span>
      </Button>
      {problem && (
        <div className="all">
          <ProblemNote problem={problem} />
        </div>
      )}
    </>
  );
}
