import type { Tab } from '@/components/ui/tabs-nav';
import { formatDecimal, nOfM, plural } from '@/lib/domain/figures';
import type { ReleaseHeader } from '@/lib/queries/release-header';

/** The tabs in order of execution, each with its count. */
export function tabsOf(header: ReleaseHeader): Tab[] {
  const { brief } = header;
  const { turn } = brief;
  const base = `/releases/${brief.release}`;
  const frozen = turn.state !== 'DRAFT';
  const tab = (path: string, label: string, count?: string): Tab => ({
    href: `${base}${path}`,
    label,
    ...(count === undefined ? {} : { count }),
  });
  return [
    tab('', 'Coverage', frozen ? nOfM(turn.receipts, turn.planned) : 'planned'),
    tab('/build', 'Build', buildCount(header)),
    tab('/ingress', 'Ingress', header.ingress.state === 'OPEN' ? 'open' : 'sealed'),
    tab('/reconciliation', 'Reconciliation', reconciliationCount(header)),
    tab(
      '/approval',
      'Approval',
      frozen ? nOfM(turn.signed.cutover, turn.needed.cutover) : undefined,
    ),
    tab('/cutover', 'Cutover', header.cutover ? `epoch ${header.cutover.epoch}` : undefined),
    tab('/audit', 'Audit', String(header.auditRows)),
    tab('/spec', 'Spec'),
  ];
}

function buildCount({ brief, concurrency }: ReleaseHeader): string | undefined {
  if (brief.turn.failed > 0) return `${brief.turn.failed} failed`;
  if (brief.running > 0) return `${brief.running} of ${plural(concurrency ?? 1, 'worker')}`;
  return undefined;
}

function reconciliationCount({ brief, reconciliation }: ReleaseHeader): string {
  if (reconciliation === null) return 'not yet';
  if (reconciliation.verdict === 'running') {
    return nOfM(reconciliation.compared, brief.turn.planned);
  }
  if (reconciliation.verdict === 'incomplete') return 'incomplete';
  return `${formatDecimal(reconciliation.unexplained)} unexplained`;
}
