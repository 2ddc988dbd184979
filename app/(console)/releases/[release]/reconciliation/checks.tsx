import { type Gate, Gates } from '@/components/release/gates';
import type { VerdictName } from '@/components/release/states';
import { figureText } from '@/components/ui/figure-text';
import type { CheckView } from '@/lib/queries/checks';
import {
  NAMED,
  namedIn,
  type ReconciliationPage,
  type RunFindings,
} from '@/lib/queries/reconciliation-view';
import { checkLabel, groupedText } from '../../../_parts/check-label';
import { address } from '../../../_parts/search';
import { Between } from '../../../_parts/when';

const VERDICTS: Record<CheckView['verdict'], VerdictName> = {
  passed: 'passed',
  accepted: 'passed',
  failed: 'failed',
  incomplete: 'incomplete',
};

/** Every check with its figure, its verdict and the digest of its evidence. */
export function Checks({ page, found }: { page: ReconciliationPage; found: RunFindings }) {
  const gates = found.checks.map((check): Gate => {
    const gate: Gate = {
      name: check.name,
      verdict: VERDICTS[check.verdict],
      label: checkLabel(check.name),
      figure: figureOf(check, found),
      digest: check.digest,
      note: noteOf(check, page, found),
    };
    const href = linkOf(check, page, found);
    return href === undefined ? gate : { ...gate, href };
  });
  return <Gates title="Checks" gates={gates} verb="passed" />;
}

/** A conserved sum is told by its difference; its sides are in the note. */
function figureOf(check: CheckView, found: RunFindings): string {
  const sum = conservedOf(check, found);
  if (!sum) return groupedText(check.figure);
  return `${figureText(sum.difference, { signed: true })} difference`;
}

const conservedOf = (check: CheckView, found: RunFindings) =>
  check.name.startsWith('conserved:')
    ? found.conserved.find((sum) => `conserved:${sum.name}` === check.name)
    : undefined;

function noteOf(check: CheckView, page: ReconciliationPage, found: RunFindings) {
  const sum = conservedOf(check, found);
  const sides = sum
    ? [
        `control ${figureText(sum.control)}`,
        `new ${figureText(sum.new)}`,
        ...(sum.source === null ? [] : [`source ${figureText(sum.source)}`]),
      ].join(', ')
    : null;
  const acceptance =
    (check.name === 'drift' || check.name === 'quarantine') && check.figure !== '0'
      ? page.acceptances.findLast((a) => a.what === check.name)
      : undefined;
  if (check.verdict === 'passed' || check.verdict === 'accepted') {
    return acceptance ? `Accepted by ${acceptance.person}: ${acceptance.reason}` : sides;
  }
  return (
    <>
      expected {groupedText(check.expected)}
      {sides && `; ${sides}`}
      {acceptance && `; accepted since by ${acceptance.person}: ${acceptance.reason}`}
      <Places check={check} page={page} />
    </>
  );
}

/** Where a check failed: the first partitions that its detail names. */
function Places({ check, page }: { check: CheckView; page: ReconciliationPage }) {
  const starts = namedIn(check);
  const named = starts.slice(0, NAMED).flatMap((start) => {
    const at = page.found?.named.find((partition) => partition.start === start);
    return at ? [at] : [];
  });
  if (named.length === 0) return null;
  return (
    <>
      ; in{' '}
      {named.map((partition, at) => (
        <span key={partition.start}>
          {at > 0 && ', '}
          <Between zone={page.zone} from={partition.start} to={partition.end} />
        </span>
      ))}
      {starts.length > named.length && ` and ${starts.length - named.length} more`}
    </>
  );
}

function linkOf(check: CheckView, page: ReconciliationPage, { run }: RunFindings) {
  const path = `/releases/${page.release}/reconciliation`;
  if (check.name === 'expected_diff' && check.verdict === 'failed') {
    return address(path, { run: run.id, class: 'unexplained' }, '#diff');
  }
  if (check.name === 'drift' && check.figure !== '0') {
    return address(path, { run: run.id, class: 'drift' }, '#diff');
  }
  if (check.name === 'quarantine' && check.figure !== '0') return '#quarantine';
  return undefined;
}
