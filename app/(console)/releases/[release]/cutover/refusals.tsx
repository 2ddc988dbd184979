import { BlockerList } from '@/components/release/blocker-list';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import type { CutoverPage } from '@/lib/queries/cutover-view';
import { When } from '../../../_parts/when';

/** Earlier tries that the compare-and-set refused; nothing moved then. */
export function Refusals({ page }: { page: CutoverPage }) {
  if (page.refusals.length === 0) return null;
  return page.refusals.map((refusal, at) => (
    <Panel key={refusal.id} label="An earlier try that was refused">
      <details open={at === 0} className="refusal">
        <summary className="row">
          <Icon name="bad" className="bad" />
          <h2>
            Refused <When zone={page.zone} at={refusal.at} />, {refusal.actor}
          </h2>
          <span className="s m">
            {refusal.blockers.length === 0
              ? 'nothing moved'
              : `${refusal.blockers.length} ${refusal.blockers.length === 1 ? 'condition' : 'conditions'} failed, nothing moved`}
          </span>
          <Icon name="chev" className="q push" />
        </summary>
        {refusal.blockers.length === 0 ? (
          <p className="m">{refusal.reason}</p>
        ) : (
          <BlockerList blockers={refusal.blockers} />
        )}
      </details>
    </Panel>
  ));
}
