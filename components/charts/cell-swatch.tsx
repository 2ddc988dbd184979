import type { ReactNode } from 'react';

const tick = { fill: 'none', stroke: 'var(--surface)', strokeWidth: 1.5 };

function Lock({ ground, ink }: { ground: string; ink: string }) {
  return (
    <>
      <rect width="12" height="12" rx="2" fill={ground} />
      <rect x="3" y="5.5" width="6" height="4.5" rx=".5" fill={ink} />
      <path d="M4.2 5.5a1.8 1.8 0 0 1 3.6 0" fill="none" stroke={ink} strokeWidth="1.2" />
    </>
  );
}

function Missing({ hue }: { hue: 'bad' | 'wait' }) {
  const ink = `var(--${hue}-fill)`;
  return (
    <>
      <rect
        x=".75"
        y=".75"
        width="10.5"
        height="10.5"
        rx="2"
        fill="var(--surface)"
        stroke={ink}
        strokeWidth="1.5"
      />
      <path d="M6 3.2v3.4M6 8.8v.1" stroke={ink} strokeWidth="1.6" strokeLinecap="round" />
    </>
  );
}

const OPEN = <rect x=".5" y=".5" width="11" height="11" rx="2" fill="none" stroke="var(--edge)" />;
const HALF = (
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
);
const FULL = <rect width="12" height="12" rx="2" fill="var(--run-fill)" />;
const CROSS = (
  <>
    <rect width="12" height="12" rx="2" fill="var(--bad-fill)" />
    <path d="m3.5 3.5 5 5m0-5-5 5" {...tick} />
  </>
);
const LOCK = <Lock ground="var(--seal-tint)" ink="var(--seal-fill)" />;

/** The cells of the calendar as small pictures for its legend, by code; `odd` is the outline. */
const SHAPES: Record<string, ReactNode> = {
  p: OPEN,
  u: HALF,
  b: FULL,
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
  f: CROSS,
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
  s: LOCK,
  w: FULL,
  n: OPEN,
  y: HALF,
  g: <Missing hue="bad" />,
  m: <Missing hue="wait" />,
  x: CROSS,
  z: (
    <>
      <rect width="12" height="12" rx="2" fill="var(--wait-fill)" />
      <path d="m3.5 8.5 5-5" {...tick} />
    </>
  ),
  l: LOCK,
  d: <Lock ground="var(--seal-fill)" ink="var(--surface)" />,
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
