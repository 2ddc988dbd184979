import { BigFigure } from '@/components/ui/figure';
import { figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { clockText, durationText } from '@/components/ui/progress';
import { Term } from '@/components/ui/term';
import { ROLLBACK_LIMIT_SECONDS } from '@/lib/domain/rollback';
import type { ApprovalPage } from '@/lib/queries/approval-view';
import { signedText } from '../../../_parts/signed-text';

/** How to come back from it, for how long, and how fast. */
export function RollbackPlan({ page }: { page: ApprovalPage }) {
  const { measured, needed, standing } = page;
  const old = page.oldGeneration ?? 'the old generation';
  const need = needed.rollback ?? 1;
  return (
    <Panel title="If it goes wrong" note={`limit ${clockText(ROLLBACK_LIMIT_SECONDS)}`}>
      <div className="figs">
        <BigFigure
          label="Window"
          value={
            page.rollbackWindowSeconds === null
              ? 'at the pin'
              : durationText(page.rollbackWindowSeconds)
          }
          note={`from the cutover; ${old} is kept so long`}
        />
        <BigFigure
          label="Writes since the cutover"
          value="kept"
          note={`replayed into ${old}, then one switch back`}
        />
        <BigFigure
          label={<Term name="replay" />}
          value={measured ? `${figureText(Math.round(measured.rate))}/s` : 'not yet'}
          note={
            measured
              ? `events, measured by the rollback of ${measured.from}`
              : `measured: there was no rollback of ${page.dataset}`
          }
        />
        <BigFigure
          label="Signed for"
          value={signedText(standing.rollback, need)}
          note={
            standing.rollback >= need
              ? 'on-call may roll back'
              : 'without a signature on-call cannot roll back'
          }
          {...(standing.rollback >= need
            ? { hue: 'ok' as const, icon: 'ok' as const }
            : { hue: 'wait' as const, icon: 'wait' as const })}
        />
      </div>
    </Panel>
  );
}
