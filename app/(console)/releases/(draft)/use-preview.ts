'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { previewDraft } from './actions';
import type { DraftForm } from './draft-form';
import type { Preview } from './preview';

const PAUSE_MS = 400;

export interface LivePreview {
  preview: Preview | null;
  /** What is typed is not judged yet. */
  pending: boolean;
  problem: ActionProblem | null;
  /** Asks now; answers with what came. */
  ask: () => Promise<Preview | null>;
}

/** The preview of what is typed, after a pause; an answer to an older form is dropped. */
export function usePreview(form: DraftForm, release: string | null): LivePreview {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [pending, setPending] = useState(true);
  const asked = useRef(0);
  const text = JSON.stringify(form);

  const ask = useCallback(async () => {
    asked.current += 1;
    const mine = asked.current;
    setPending(true);
    const result = await previewDraft({ form: JSON.parse(text) as DraftForm, release }).catch(
      () => null,
    );
    if (mine !== asked.current) return null;
    setPending(false);
    if (result?.ok) {
      setPreview(result.value);
      setProblem(null);
      return result.value;
    }
    setProblem(
      result?.problem ?? {
        code: 'NO_ANSWER',
        title: 'The preview did not answer.',
        detail: 'It is asked again with the next change; what you typed is here.',
      },
    );
    return null;
  }, [text, release]);

  useEffect(() => {
    setPending(true);
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [ask]);

  return { preview, pending, problem, ask };
}
