'use client';

import { useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { ProblemNote } from '@/components/release/problem-note';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { DigestChip } from '@/components/ui/digest-chip';
import { countText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import type { AuditVerdict } from '@/lib/services/audit/verify';
import { verifyChains } from './verify-action';

/** Has every chain recomputed from its first row, and says what came of it. */
export function Verify() {
  const [verdict, setVerdict] = useState<AuditVerdict | null>(null);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [pending, once] = useOnce();
  const press = () =>
    once(async () => {
      setProblem(null);
      const result = await verifyChains();
      if (result.ok) setVerdict(result.value);
      else setProblem(result.problem);
    });
  return (
    <div className="verify">
      <Button variant="go" icon="tick" pending={pending} onClick={() => void press()}>
        {pending ? 'Recomputing…' : 'Verify the chains'}
      </Button>
      {problem && <ProblemNote problem={problem} />}
      {verdict?.ok && (
        <Note
          icon="ok"
          live
          title={`${countText(verdict.length, 'row')} recomputed, every hash is right.`}
        >
          <p>
            Head over all chains <DigestChip value={verdict.head} />
          </p>
        </Note>
      )}
      {verdict && !verdict.ok && (
        <Note tone="bad" live title="A chain is not what it says.">
          <p>
            First in row {verdict.firstBad?.seq} of {verdict.firstBad?.chain}:{' '}
            {verdict.firstBad?.why}. Nothing after it can be relied on; compare with an export that
            was made before.
          </p>
        </Note>
      )}
    </div>
  );
}
