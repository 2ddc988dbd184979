import type { ReactNode } from 'react';

/** Under this width the words take the whole width: beside the cell they would be cut off. */
const NARROW = 560;

/** The floating words under a cell of a canvas; decoration, the canvas says the same itself. */
export function CellTip({
  at,
  width,
  children,
}: {
  at: { x: number; y: number };
  /** Of the box in which they float. In its right half they end at the cell. */
  width: number;
  children: ReactNode;
}) {
  const style =
    width < NARROW
      ? { left: 0, right: 0, top: at.y, width: 'auto' }
      : { left: at.x, top: at.y, transform: at.x > width / 2 ? 'translateX(-100%)' : undefined };
  return (
    <div className="tip cell-tip" style={style} aria-hidden="true">
      {children}
    </div>
  );
}
