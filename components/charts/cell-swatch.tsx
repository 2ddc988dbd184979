import type { ReactNode } from 'react';

const tick = { fill: 'none', stroke: 'var(--surface)', strokeWidth: 1.5 };

/** The cells of the calendar as small pictures for its legend, by code; `odd` is the outline. */
const SHAPES: Record<string, ReactNode> = {
  p: <rect x=".5" y=".5" width="11" height="11" rx="2" fill="none" stroke="var(--edge)" />,
  u: (
    <>
      <rect
        x=".5"
        y=".5"
        width="11"
        height="11"
        rx="2"
        fill="var(--run-tint)"
        stroke="var(--run-fill)"
      />
      <path d="M0 0 12 12H0z" fill="var(--run-fill)" />
    </>
  ),
  b: <rect width="12" height="12" rx="2" fill="var(--run-fill)" />,
  e: (
    <>
      <rect width="12" height="12" rx="2" fill="var(--run-tint)" />
      <rect x="4" y="4" width="4" height="4" rx="1" fill="var(--run-fill)" />
    </>
  ),
  k: (
    <>
      <rect width="12" height="12" rx="2" fill="var(--near-fill)" />
      <path d="M6 3 9 6 6 9 3 6z" fill="var(--surface)" />
    </>
  ),
  r: (
    <>
      <rect width="12" height="12" rx="2" fill="var(--ok-fill)" />
      <path d="m3.2 6.2 2 2 3.6-4" {...tick} />
    </>
  ),
  f: (
    <>
      <rect width="12" height="12" rx="2" fill="var(--bad-fill)" />
      <path d="m3.5 3.5 5 5m0-5-5 5" {...tick} />
    </>
  ),
  c: (
    <>
      <rect
        x=".5"
        y=".5"
        width="11"
        height="11"
        rx="2"
        fill="var(--wait-tint)"
        stroke="var(--wait-fill)"
      />
      <path d="M1 7 7 1M1 11 11 1M5 11l6-6" stroke="var(--wait-fill)" />
    </>
  ),
  s: (
    <>
      <rect width="12" height="12" rx="2" fill="var(--seal-tint)" />
      <rect x="3" y="5.5" width="6" height="4.5" rx=".5" fill="var(--seal-fill)" />
      <path
        d="M4.2 5.5a1.8 1.8 0 0 1 3.6 0"
        fill="none"
        stroke="var(--seal-fill)"
        strokeWidth="1.2"
      />
    </>
  ),
  i: <circle cx="6" cy="6" r="2" fill="var(--idle)" />,
  odd: (
    <rect
      x=".8"
      y=".8"
      width="10.4"
      height="10.4"
      rx="2"
      fill="none"
      stroke="var(--ink)"
      strokeWidth="1.5"
    />
  ),
};

/** One cell of the calendar, 12 px, for legends and beside words. */
export function CellSwatch({ code, size = 12 }: { code: string; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 12 12" aria-hidden="true" focusable="false">
      {SHAPES[code]}
    </svg>
  );
}
