'use client';

import { BlockerList } from '@/components/release/blocker-list';
import type { BlockerView } from '@/components/release/blockers';
import { ProblemNote } from '@/components/release/problem-note';
import { StateBadge } from '@/components/release/state-badge';
import { Panel } from '@/components/ui/panel';
import type { LivePreview } from './use-preview';

const CLEAR = { label: '', hue: 'ok', icon: 'ok' } as const;

/**
 * Everything that keeps it from being pinned now, the draft's own faults included, and what would
 * then keep its build from starting.
 */
export function WayPanel({
  blockers,
  live,
}: {
  blockers: readonly BlockerView[];
  live: LivePreview;
}) {
  const claimed = live.preview?.claimed ?? [];
  return (
    <Panel
      title="In the way"
      count={live.preview ? blockers.length + claimed.length : undefined}
      note={<span role="status">{live.pending ? 'looking' : ''}</span>}
    >
      {live.problem && <ProblemNote problem={live.problem} />}
      {blockers.length > 0 ? (
        <BlockerList blockers={blockers} />
      ) : (
        live.preview && <StateBadge look={CLEAR}>Nothing stands in the way of a pin.</StateBadge>
      )}
      {claimed.length > 0 && (
        <div className="sub">
          <p className="s m">It can be pinned over this, but not built:</p>
          <BlockerList blockers={claimed} />
        </div>
      )}
      {!live.preview && !live.problem && <p className="q">The draft is being read.</p>}
    </Panel>
  );
}
