'use client';

import { type ReactNode, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { ProblemNote } from './problem-note';
import { type Sending, useSend } from './use-send';

/** What a form in a dialog works with: how it is sent, and how the dialog is closed. */
export type DialogForm = Sending & { close: () => void };

/**
 * A form in a dialog of its own, which cannot be closed while it is being sent; each opening begins
 * without what the last one was refused for.
 * - `opener` is the button that opens it.
 * - `onShow` is called whenever it opens or closes.
 */
export function FormDialog({
  opener,
  title,
  summary,
  wide,
  onShow,
  children,
}: {
  opener: (open: () => void) => ReactNode;
  title: ReactNode;
  summary?: ReactNode;
  wide?: boolean;
  onShow?: () => void;
  children: (form: DialogForm) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const sending = useSend();
  const show = (next: boolean) => {
    sending.setProblem(null);
    onShow?.();
    setOpen(next);
  };
  return (
    <>
      {opener(() => show(true))}
      <Dialog
        open={open}
        onOpenChange={show}
        locked={sending.pending}
        wide={wide}
        title={title}
        summary={summary}
      >
        {children({ ...sending, close: () => show(false) })}
      </Dialog>
    </>
  );
}

/** The end of such a form: why it was refused, and the two ways out of it. */
export function FormEnd({
  form: { problem, pending, close },
  doing,
  variant = 'go',
  nothing = false,
  children,
}: {
  form: DialogForm;
  /** What the button says while it is sent: "Making…". */
  doing: string;
  variant?: 'go' | 'stop';
  /** There is nothing to send yet. */
  nothing?: boolean;
  /** What the button says. */
  children: ReactNode;
}) {
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      <div className="form-end">
        <Button onClick={close} pending={pending}>
          Leave it
        </Button>
        <Button
          type="submit"
          variant={variant}
          pending={pending}
          aria-disabled={nothing || undefined}
        >
          {pending ? doing : children}
        </Button>
      </div>
    </>
  );
}
