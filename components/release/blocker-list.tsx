'use client';

import Link from 'next/link';
import { useState } from 'react';
import { cx } from '@/components/ui/cx';
import { Tag } from '@/components/ui/tag';
import { type ActionProblem, type BlockerView, inOrder, sideText } from './blockers';
import { useOnce } from './use-once';

/**
 * Every blocker, none left out: tag, what it is (a link to the thing), the figure against its
 * limit, and the small action that fixes it.
 */
export function BlockerList({ blockers }: { blockers: readonly BlockerView[] }) {
  return (
    <ul>
      {inOrder(blockers).map((blocker, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one code may block twice, in a fixed order.
        <BlockerRow key={`${blocker.code} ${at}`} blocker={blocker} />
      ))}
    </ul>
  );
}

function BlockerRow({ blocker }: { blocker: BlockerView }) {
  const { fix } = blocker;
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [pending, once] = useOnce();
  const press = () =>
    once(async () => {
      const result = await fix?.action?.();
      setProblem(result && !result.ok ? result.problem : null);
    });
  const sides = blocker.expected !== undefined || blocker.current !== undefined;
  return (
    <li className="blk" data-code={blocker.code}>
      <Tag kind={blocker.kind}>{blocker.kind}</Tag>
      <span>
        {blocker.link ? <Link href={blocker.link}>{blocker.message}</Link> : blocker.message}
      </span>
      {fix?.href && !fix.notYet && (
        <Link className="btn sm" href={fix.href}>
          {fix.label}
        </Link>
      )}
      {fix && (!fix.href || fix.notYet) && (
        <button
          type="button"
          className={cx('btn sm')}
          disabled={fix.notYet !== undefined}
          aria-busy={pending || undefined}
          onClick={press}
        >
          {fix.label}
        </button>
      )}
      {(fix?.notYet || blocker.detail) && <small>{fix?.notYet ?? blocker.detail}</small>}
      {sides && (
        <small>
          expected {sideText(blocker.expected)} · current {sideText(blocker.current)}
        </small>
      )}
      {problem && (
        <small className="bad" role="alert">
          {problem.code}: {problem.title}
          {problem.detail && ` ${problem.detail}`}
        </small>
      )}
    </li>
  );
}
