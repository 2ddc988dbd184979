'use client';

import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';

interface Keeping {
  /** A dialog stands open from now until the function that it gets back is called. */
  hold: () => () => void;
  /** What the dialog was opened for is not there any more. */
  moved: boolean;
}

const Kept = createContext<Keeping | null>(null);

/**
 * Keeps what somebody has open: while a confirm dialog inside stands open, `children` stay as they
 * were even where a refresh would take them away, so that nothing typed is lost with them. The
 * dialog then says that the page moved on, and the move itself is refused with what changed.
 *
 * @param of names what is offered; another name, or '', is another thing
 */
export function KeepOpen({ of, children }: { of: string; children: ReactNode }) {
  const [open, setOpen] = useState(0);
  const [shown, setShown] = useState({ of, children });
  const moved = open > 0 && shown.of !== of;
  if (!moved && (shown.of !== of || shown.children !== children)) setShown({ of, children });

  const outer = useContext(Kept)?.hold;
  const hold = useCallback(() => {
    setOpen((dialogs) => dialogs + 1);
    const letGo = outer?.();
    return () => {
      setOpen((dialogs) => dialogs - 1);
      letGo?.();
    };
  }, [outer]);
  const keeping = useMemo(() => ({ hold, moved }), [hold, moved]);
  return <Kept value={keeping}>{shown.children}</Kept>;
}

/** For a dialog: keeps what is around it while it is open, and says whether that has moved on. */
export function useKeptOpen(open: boolean): boolean {
  const keeping = useContext(Kept);
  const hold = keeping?.hold;
  useEffect(() => (open ? hold?.() : undefined), [open, hold]);
  return keeping?.moved ?? false;
}
