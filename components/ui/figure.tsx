import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Hue } from '@/components/release/states';
import { cx } from './cx';
import { figureText } from './figure-text';
import { Icon, type IconName } from './icon';

/**
 * An exact number. `value` is the number's text (numerics, bigints and offsets arrive as strings)
 * or a count. `href` links it to what it counts; `signed` is for differences.
 */
export function Figure({
  value,
  signed = false,
  href,
  title,
}: {
  value: string | number;
  signed?: boolean;
  href?: string;
  title?: string;
}) {
  const text = figureText(value, { signed });
  if (href) {
    return (
      <Link href={href} title={title}>
        {text}
      </Link>
    );
  }
  return <span title={title}>{text}</span>;
}

/** Money, exact to the scale that it came with; the currency's code, if any, stands after it. */
export function Money({
  value,
  currency,
  signed = false,
  href,
}: {
  value: string;
  currency?: string;
  signed?: boolean;
  href?: string;
}) {
  return (
    <span className="nw">
      <Figure value={value} signed={signed} href={href} />
      {currency && ` ${currency}`}
    </span>
  );
}

/**
 * A large figure with what it is above and what to know below, for verdicts.
 * With `hue` and `icon` the line above is a state ("Unexplained rows", green tick).
 */
export function BigFigure({
  label,
  value,
  note,
  hue,
  icon,
}: {
  label: ReactNode;
  value: ReactNode;
  note?: ReactNode;
  hue?: Hue;
  icon?: IconName;
}) {
  return (
    <div className="fig">
      <span className={cx(hue && 'st', hue)}>
        {icon && <Icon name={icon} />}
        {label}
      </span>
      <b>{value}</b>
      {note && <span>{note}</span>}
    </div>
  );
}

/** Facts as terms and values. `numbers` sets the values right, in columns. */
export function Facts({
  items,
  numbers = false,
}: {
  items: readonly { term: string; value: ReactNode }[];
  numbers?: boolean;
}) {
  return (
    <dl className={cx('kv', numbers && 'n2')}>
      {items.map((item) => (
        <div key={item.term} className="contents">
          <dt>{item.term}</dt>
          <dd>{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A share as a short bar beside its number. Decoration: the number says it. */
export function ShareBar({ percent }: { percent: number }) {
  const width = Math.min(100, Math.max(0, percent));
  return (
    <span className="pct" aria-hidden="true">
      <i style={{ width: `${width}%` }} />
    </span>
  );
}
