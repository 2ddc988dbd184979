import { SplitBar } from '@/components/charts/split-bar';
import { BigFigure } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { Term } from '@/components/ui/term';
import { isZeroDecimal } from '@/lib/domain/decimal';
import type { ConservedFigures, DiffGroup } from '@/lib/queries/reconciliation-figures';
import type { ReconciliationPage, RunFindings } from '@/lib/queries/reconciliation-view';
import { address } from '../../../_parts/search';

const ODD = ['unexplained', 'control_error'];

/** Above everything: what no rule explains, and what must not have changed. Both have to be 0. */
export function Verdict({ page, found }: { page: ReconciliationPage; found: RunFindings }) {
  const { totals, groups, conserved, run } = found;
  const path = `/releases/${page.release}/reconciliation`;
  const link = (values: Record<string, string>) =>
    address(path, { run: run.id, ...values }, '#diff');
  const clean = totals.unexplained === '0';
  // what no rule explains is a part of its own, or the bar would count it twice
  const rows = (kind: DiffGroup['kind'], odd = false) =>
    groups
      .filter((g) => g.kind === kind && ODD.includes(g.class) === odd)
      .reduce((sum, g) => sum + Number(g.rows), 0);
  const changed = rows('changed');
  const added = rows('added');
  return (
    <Panel label="Verdict" className="verdict">
      <BigFigure
        label={<Term name="explained diff">Unexplained rows</Term>}
        value={<a href={link({ class: 'unexplained' })}>{figureText(totals.unexplained)}</a>}
        note={
          <>
            must be 0 · of <a href="#diff">{figureText(totals.changed)} differing</a>
          </>
        }
        hue={clean ? 'ok' : 'bad'}
        icon={clean ? 'ok' : 'bad'}
      />
      {conserved.map((sum) => (
        <Conserved key={sum.name} sum={sum} />
      ))}
      <div className="flow">
        <div className="row s m">
          <span>
            old <b>{figureText(totals.oldRows)}</b> rows
          </span>
          <span className="push">
            new <b>{figureText(totals.newRows)}</b> rows
          </span>
        </div>
        <SplitBar
          label="Rows from control to new"
          parts={[
            { label: 'changed', count: changed, look: 'strong', href: link({}) },
            {
              label: 'equal',
              count: Math.max(
                0,
                Number(totals.newRows) -
                  changed -
                  added -
                  rows('changed', true) -
                  rows('added', true),
              ),
              look: 'weak',
            },
            { label: 'removed', count: rows('removed'), look: 'hollow' },
            { label: 'added', count: added, look: 'hollow' },
            ...(clean
              ? []
              : [
                  {
                    label: 'unexplained',
                    count: Number(totals.unexplained),
                    look: 'bad' as const,
                    href: link({ class: 'unexplained' }),
                  },
                ]),
          ]}
        />
      </div>
    </Panel>
  );
}

function Conserved({ sum }: { sum: ConservedFigures }) {
  const sides = sum.sourceDifference === null ? 'old transform and new' : 'old, new and source';
  const equal =
    sum.differing === 0 &&
    isZeroDecimal(sum.difference) &&
    (sum.sourceDifference === null || isZeroDecimal(sum.sourceDifference));
  const worst = isZeroDecimal(sum.difference) ? sum.sourceDifference : sum.difference;
  return (
    <BigFigure
      label={`Conserved difference, ${sum.name}`}
      value={figureText(equal ? sum.difference : (worst ?? sum.difference), { signed: true })}
      note={
        equal
          ? `must be 0 · ${sides} ${figureText(sum.new)}`
          : `must be 0 · differs in ${countText(sum.differing, 'partition')}`
      }
      hue={equal ? 'ok' : 'bad'}
      icon={equal ? 'ok' : 'bad'}
    />
  );
}
