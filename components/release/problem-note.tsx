'use client';

import type { ReactNode } from 'react';
import { Note } from '@/components/ui/note';
import { BlockerList } from './blocker-list';
import { type ActionProblem, blockersSentence } from './blockers';

/**
 * A refusal or a failure, in the place where it was asked for: its code and title, what is known,
 * and every blocker. It is announced, and it stays until the next try.
 */
export function ProblemNote({ problem, action }: { problem: ActionProblem; action?: ReactNode }) {
  const blockers = problem.blockers ?? [];
  return (
    <Note
      tone="bad"
      live
      title={
        <>
          <span className="mono">{problem.code}</span>: {problem.title}
        </>
      }
      action={action}
    >
      {problem.detail && !blockers.some(({ message }) => message === problem.detail) && (
        <p>{problem.detail}</p>
      )}
      {blockers.length > 0 && (
        <>
          <p>{blockersSentence(blockers)}</p>
          <BlockerList blockers={blockers} />
        </>
      )}
    </Note>
  );
}
