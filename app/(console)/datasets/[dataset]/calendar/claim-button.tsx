'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import type { ActionProblem } from '@/components/release/blockers';
import { ProblemNote } from '@/components/release/problem-note';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Input } from '@/components/ui/field';
import { countText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { say } from '@/components/ui/toaster';
import type { ClaimRange } from '@/lib/domain/claims';
import { Between } from '../../../_parts/when';
import { claimTyped } from '../claim-actions';

interface Props {
  dataset: string;
  zone: string;
  from: string;
  to: string;
  /** How many partitions. */
  count: number;
  /** The name that is offered. */
  owner: string;
}

/** Claims the selected partitions: no release builds over them and no run writes to them. */
export function ClaimButton(props: Props) {
  const [open, setOpen] = useState(false);
  const [pending, once] = useOnce();
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        Claim…
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        locked={pending}
        title={`Claim ${countText(props.count, 'partition')}?`}
        summary={
          <p>
            <Between zone={props.zone} from={props.from} to={props.to} />. No release builds over
            them and no run writes to them until you let go. What others hold stays theirs.
          </p>
        }
      >
        <ClaimForm {...props} pending={pending} once={once} close={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function ClaimForm({
  dataset,
  zone,
  from,
  to,
  owner,
  pending,
  once,
  close,
}: Props & {
  pending: boolean;
  once: ReturnType<typeof useOnce>[1];
  close: () => void;
}) {
  const router = useRouter();
  const [name, setName] = useState(owner);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [denied, setDenied] = useState<readonly ClaimRange[]>([]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void once(async () => {
      const result = await claimTyped({ dataset, from, to, owner: name.trim() });
      setProblem(result.ok ? null : result.problem);
      setDenied(result.ok ? result.value.denied : []);
      if (!result.ok) return;
      say(`${name.trim()} holds ${countText(result.value.granted, 'partition')} of the range`);
      router.refresh();
      if (result.value.denied.length === 0) close();
    });
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Input
        label="Owner"
        hint="A person’s or a job’s name; its own runs are not stopped by it."
        value={name}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      {problem && <ProblemNote problem={problem} />}
      {denied.length > 0 && (
        <Note tone="wait" live title="Others hold a part of it; the rest is yours.">
          <ul>
            {denied.slice(0, 5).map((one) => (
              <li key={one.from}>
                {one.owner}: <Between zone={zone} from={one.from} to={one.to} />
              </li>
            ))}
          </ul>
        </Note>
      )}
      <div className="form-end">
        <Button onClick={close} pending={pending}>
          Leave it
        </Button>
        <Button type="submit" variant="go" pending={pending}>
          {pending ? 'Claiming…' : 'Claim'}
        </Button>
      </div>
    </form>
  );
}
