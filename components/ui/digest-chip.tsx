'use client';

import { useCopy } from '@/components/hooks/use-copy';
import { cx } from './cx';
import { digestHex, groupedDigest, shortDigest } from './digest-text';
import { Icon } from './icon';

const SAID = { idle: '', copied: 'Copied', refused: 'Not copied: the browser refused' } as const;

/**
 * A digest: first four … last four, the whole in the title; a press copies the whole.
 * - `label` stands before it ("evidence").
 * - `big` shows all of it in groups of eight, where it is signed.
 * - `struck` is for a digest that no longer counts.
 */
export function DigestChip({
  value,
  label,
  big = false,
  struck = false,
}: {
  /** `sha256:…` */
  value: string;
  label?: string;
  big?: boolean;
  struck?: boolean;
}) {
  const { state, copy } = useCopy();
  const name = label ? `${label} ${shortDigest(value)}` : shortDigest(value);
  if (big) {
    return (
      <div className="dig big" title={value}>
        <span className="row q dig-head">
          {label ?? value.slice(0, value.indexOf(':'))}
          <button type="button" className="btn sm push" onClick={() => copy(value)}>
            <Icon name={state === 'copied' ? 'tick' : 'copy'} />
            {state === 'copied' ? 'Copied' : 'Copy'}
          </button>
        </span>
        <span>{groupedDigest(value)}</span>
        <span className="sr" role="status">
          {SAID[state]}
        </span>
      </div>
    );
  }
  return (
    <>
      <button
        type="button"
        className={cx('dig', struck && 'void')}
        data-digest={value}
        data-said={state === 'idle' ? undefined : state === 'copied' ? 'copied' : 'not copied'}
        title={`${value}, press to copy`}
        aria-label={`${struck ? 'void digest' : 'digest'} ${name}, copy all ${digestHex(value).length} digits`}
        onClick={() => copy(value)}
      >
        {name}
      </button>
      <span className="sr" role="status">
        {SAID[state]}
      </span>
    </>
  );
}
