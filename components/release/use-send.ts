'use client';

import { useState } from 'react';
import type { ActionProblem } from './blockers';
import { useOnce } from './use-once';

interface Problem extends ActionProblem {
  issues?: readonly { pointer: string; message: string; line?: number; column?: number }[];
}

type Result<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export type Sending = ReturnType<typeof useSend>;

/** Sends one change at a time, and keeps why it was refused until the next try. */
export function useSend() {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [pending, once] = useOnce();
  const send = <T>(
    call: () => Promise<Result<T>>,
    done: (value: T) => unknown,
    /** What to do where no answer came back, so that nobody knows whether it was done. */
    lost: string,
  ) =>
    once(async () => {
      setProblem(null);
      const result = await call().catch(() => null);
      if (result === null) {
        setProblem({ code: 'NO_ANSWER', title: 'No answer came back.', detail: lost });
      } else if (result.ok) await done(result.value);
      else setProblem(result.problem);
    });
  /** What is wrong with the field at a JSON pointer. */
  const issueAt = (pointer: string) =>
    problem?.issues?.find((issue) => issue.pointer === pointer)?.message;
  return { problem, setProblem, pending, send, issueAt };
}
