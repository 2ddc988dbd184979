import type { ReactNode } from 'react';

/**
 * The console's icons: 16 × 16, stroke 1.5, drawn once in a sprite (`<IconSprite>` in the root
 * layout) and used by name. A state's icon is a shape of its own, so that colour is never alone.
 * Class `f` fills with the text colour, class `c` cuts out in the colour of the ground.
 */
const SHAPES = {
  // places
  grid: (
    <>
      <rect x="2.5" y="2.5" width="4.5" height="4.5" rx="1" />
      <rect x="9" y="2.5" width="4.5" height="4.5" rx="1" />
      <rect x="2.5" y="9" width="4.5" height="4.5" rx="1" />
      <rect x="9" y="9" width="4.5" height="4.5" rx="1" />
    </>
  ),
  branch: (
    <>
      <circle cx="4" cy="3.8" r="1.7" />
      <circle cx="4" cy="12.2" r="1.7" />
      <circle cx="12" cy="5.5" r="1.7" />
      <path d="M4 5.5v5M12 7.2c0 3-4.5 2.2-7.2 3.8" />
    </>
  ),
  db: (
    <>
      <ellipse cx="8" cy="4" rx="5" ry="2" />
      <path d="M3 4v8c0 1.1 2.2 2 5 2s5-.9 5-2V4M3 8c0 1.1 2.2 2 5 2s5-.9 5-2" />
    </>
  ),
  flow: <path d="M2.5 4.5h4l3 7h4M2.5 11.5h4l1-2.3M13.5 4.5h-4l-1 2.3" />,
  doc: <path d="M4 2h5.5L12.5 5v9H4zM6.5 8h4m-4 2.8h4" />,
  phone: (
    <path d="M5.5 2.5 3 3.2c-.4 5.3 4.5 10 9.8 9.8l.7-2.7-2.8-1.5-1.5 1.3A7 7 0 0 1 6 6.8l1.2-1.6z" />
  ),
  list: <path d="M5.5 4H13M5.5 8H13M5.5 12H13M2.8 4h.1m-.1 4h.1m-.1 4h.1" />,
  gear: (
    <>
      <circle cx="8" cy="8" r="2.2" />
      <path d="M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4" />
    </>
  ),
  person: (
    <>
      <circle cx="8" cy="5.2" r="2.7" />
      <path d="M2.8 13.8c.5-2.8 2.5-4.3 5.2-4.3s4.7 1.5 5.2 4.3" />
    </>
  ),
  // states
  planned: <circle cx="8" cy="8" r="5.5" strokeDasharray="2.3 2.3" />,
  building: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path className="f" d="M8 2.5a5.5 5.5 0 0 1 0 11z" />
    </>
  ),
  built: <circle className="f" cx="8" cy="8" r="6" />,
  caught: <path className="f" d="M8 1.5 14.5 8 8 14.5 1.5 8z" />,
  ok: (
    <>
      <circle className="f" cx="8" cy="8" r="6.5" />
      <path className="c" d="M5.2 8.2 7.1 10l3.7-4" />
    </>
  ),
  active: (
    <>
      <circle cx="8" cy="8" r="6" />
      <circle className="f" cx="8" cy="8" r="2.8" />
    </>
  ),
  bad: (
    <>
      <path className="f" d="M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2z" />
      <path className="c" d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4" />
    </>
  ),
  claimed: (
    <>
      <rect x="2.5" y="2.5" width="11" height="11" rx="2" />
      <path d="M3 9 9 3M4.5 13 13 4.5M9.5 13.2l3.7-3.7" />
    </>
  ),
  lock: (
    <>
      <rect className="f" x="3" y="7" width="10" height="7" rx="1.5" />
      <path d="M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2" />
    </>
  ),
  inherit: <path d="M3.5 3v5.5a2 2 0 0 0 2 2h7M9.5 7.5l3 3-3 3" />,
  warn: (
    <>
      <path d="M8 2 14.5 13.5h-13z" />
      <path d="M8 6.5v3m0 1.9v.1" />
    </>
  ),
  retired: (
    <>
      <rect x="2" y="3" width="12" height="3.5" rx="1" />
      <path d="M3.2 6.5V13h9.6V6.5M6.5 9.2h3" />
    </>
  ),
  back: <path d="M2.5 5.5H10a3.5 3.5 0 0 1 0 7H6M2.5 5.5 5.3 2.7M2.5 5.5l2.8 2.8" />,
  void: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="m3.9 12.1 8.2-8.2" />
    </>
  ),
  pause: <path d="M5.5 3.5v9m5-9v9" strokeWidth="2" />,
  wait: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.8v3.5l2.2 1.4" />
    </>
  ),
  // kinds of difference
  neq: <path d="M3.5 6h9M3.5 10h9M10.5 3.5l-5 9" />,
  drift: <path d="M2 9.2c2-3.4 4-3.4 6-1.2s4 2.2 6-1.2" />,
  minus: (
    <>
      <rect x="2.5" y="2.5" width="11" height="11" rx="2" />
      <path d="M5.5 8h5" />
    </>
  ),
  added: (
    <>
      <rect x="2.5" y="2.5" width="11" height="11" rx="2" />
      <path d="M5.5 8h5M8 5.5v5" />
    </>
  ),
  // controls
  search: (
    <>
      <circle cx="7" cy="7" r="4" />
      <path d="m10 10 3.5 3.5" />
    </>
  ),
  sign: <path d="M2.5 13.8h11M4 10.6l6.8-6.8 1.9 1.9-6.8 6.8-2.4.5z" />,
  chev: <path d="m4.5 6.2 3.5 3.6 3.5-3.6" />,
  right: <path d="M3 8h10M9.5 4.5 13 8l-3.5 3.5" />,
  left: <path d="M13 8H3M6.5 4.5 3 8l3.5 3.5" />,
  up: <path d="M8 13V3M4.5 6.5 8 3l3.5 3.5" />,
  down: <path d="M8 3v10M4.5 9.5 8 13l3.5-3.5" />,
  updown: <path d="m5 6.2 3-3.2 3 3.2M5 9.8 8 13l3-3.2" />,
  dot: <circle className="f" cx="8" cy="8" r="2.5" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.5V3a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1H4" />
    </>
  ),
  tick: <path d="M3.5 8.5 6.5 11.5 12.5 5" />,
  close: <path d="m4 4 8 8m0-8-8 8" />,
  plus: <path d="M8 3v10M3 8h10" />,
  less: <path d="M3 8h10" />,
  more: <path d="M3.5 8h.1M8 8h.1m4.4 0h.1" strokeWidth="2.4" />,
  keys: (
    <>
      <rect x="1.5" y="4" width="13" height="8.5" rx="1.5" />
      <path d="M4 6.8h.1m2.6 0h.1m2.6 0h.1m2.5 0h.1M5.5 9.8h5" />
    </>
  ),
  play: <path className="f" d="M5 3.2 12.5 8 5 12.8z" />,
  out: <path d="M9.5 3H4v10h5.5M7 8h7m-2.5-2.5L14 8l-2.5 2.5" />,
  export: <path d="M8 2v7.5M5 7l3 3 3-3M3 13h10" />,
  fit: <path d="M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9" />
    </>
  ),
  moon: <path d="M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6z" />,
  screen: (
    <>
      <rect x="2" y="3" width="12" height="8" rx="1.2" />
      <path d="M6 13.5h4" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof SHAPES;

/** The sprite that every `<Icon>` refers to. Rendered once, by the root layout. */
export function IconSprite() {
  return (
    <svg width="0" height="0" style={{ position: 'absolute' }} aria-hidden="true" focusable="false">
      {Object.entries(SHAPES).map(([name, shape]) => (
        <symbol key={name} id={`i-${name}`} viewBox="0 0 16 16">
          {shape}
        </symbol>
      ))}
    </svg>
  );
}

/**
 * One icon. Without `label` it is decoration beside a word and hidden from assistive technology;
 * with `label` it stands alone and is read. `spin` turns it, unless reduced motion is asked for.
 */
export function Icon({
  name,
  className,
  spin = false,
  label,
}: {
  name: IconName;
  className?: string;
  spin?: boolean;
  label?: string;
}) {
  const classes = ['i', spin && 'spin', className].filter(Boolean).join(' ');
  if (label === undefined) {
    return (
      <svg className={classes} aria-hidden="true" focusable="false">
        <use href={`#i-${name}`} />
      </svg>
    );
  }
  return (
    <svg className={classes} role="img" aria-label={label}>
      <use href={`#i-${name}`} />
    </svg>
  );
}

/** The mark of the product, two interlocked links. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      aria-hidden="true"
      focusable="false"
    >
      <path d="M8.5 4H6a4 4 0 0 0-4 4v4a4 4 0 0 0 4 4h1a4 4 0 0 0 4-4v-2" />
      <path d="M11.5 16H14a4 4 0 0 0 4-4V8a4 4 0 0 0-4-4h-1a4 4 0 0 0-4 4v2" />
    </svg>
  );
}
