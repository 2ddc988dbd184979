import { type Gate, Gates } from '@/components/release/gates';
import { figureText } from '@/components/ui/figure-text';
import { clockText, durationText } from '@/components/ui/progress';
import { isZeroDecimal } from '@/lib/domain/decimal';
import { drillWords } from '@/lib/domain/drill';
import { ROLLBACK_LIMIT_SECONDS } from '@/lib/domain/rollback';
import type { ApprovalCheck, ApprovalPage } from '@/lib/queries/approval-view';
import { checkLabel, groupedText } from '../../../_parts/check-label';
import { momentText } from '../../../_parts/when';

/** Every gate with its figure against its limit; those of the evidence carry its digest. */
export function ApprovalGates({ page }: { page: ApprovalPage }) {
  const cutOver = ['ACTIVE', 'RETIRED', 'ROLLED_BACK'].includes(page.state);
  const ended = ['REJECTED', 'ABANDONED'].includes(page.state);
  if (ended && page.checks.length === 0) return null;
  const gates = [
    ...evidenceGates(page),
    ...(cutOver || ended ? [] : nowGates(page)),
    ...(ended ? [] : [watched(page, cutOver)]),
  ];
  return (
    <Gates
      title="Gates"
      gates={gates}
      compact
      {...(ended ? {} : { note: '1 more is watched after the cutover' })}
    />
  );
}

const NAMES: Record<string, string> = {
  partition_closure: 'Coverage, overlap',
  roots: 'Roots recomputed',
  expected_diff: 'Unexplained diff',
  drift: 'Drift',
  duplicate_keys: 'Keys that stand twice',
  quarantine: 'Quarantined',
};

/** The checks that gate a cutover; the others stand behind one line. */
function evidenceGates(page: ApprovalPage): Gate[] {
  const link = `/releases/${page.release}/reconciliation`;
  const passed = (check: ApprovalCheck) =>
    check.verdict === 'passed' || check.verdict === 'accepted';
  const gate = (check: ApprovalCheck, label: string, figure: string): Gate => ({
    name: check.name,
    verdict: passed(check) ? 'passed' : 'failed',
    label,
    figure,
    href: link,
    digest: check.digest,
  });
  if (page.checks.length === 0) {
    return [
      { name: 'evidence', verdict: 'pending', label: 'Evidence at the barrier', figure: 'not yet' },
    ];
  }
  const shown = page.checks.flatMap((check) => {
    const sum = page.conserved.find((each) => `conserved:${each.name}` === check.name);
    if (sum) {
      const worst =
        sum.sourceDifference !== null && !isZeroDecimal(sum.sourceDifference)
          ? sum.sourceDifference
          : sum.difference;
      return [gate(check, `Conserved, ${sum.name}`, figureText(worst, { signed: true }))];
    }
    const label = NAMES[check.name];
    return label === undefined ? [] : [gate(check, label, shortFigure(page, check))];
  });
  const rest = page.checks.filter((check) => !shown.some((each) => each.name === check.name));
  const good = rest.filter(passed).length;
  return [
    ...shown,
    ...(rest.length === 0
      ? []
      : [
          {
            name: 'others',
            verdict: good === rest.length ? ('passed' as const) : ('failed' as const),
            label: rest.length === 1 ? checkLabel(rest[0]?.name ?? '') : 'All other checks',
            figure: `${good} of ${rest.length}`,
            href: link,
          },
        ]),
  ];
}

function shortFigure(page: ApprovalPage, check: ApprovalCheck): string {
  switch (check.name) {
    case 'expected_diff':
      return figureText(page.totals?.unexplained ?? '0');
    case 'partition_closure':
      return groupedText(check.figure.replace(/, overlap 0, gaps 0$/, ', 0'));
    case 'roots':
      return groupedText(
        check.figure
          .replace(/^0 of 0 recomputed equal, (\d+) unchanged.*$/, 'in the rehearsal, $1')
          .replace(/ recomputed equal/, '')
          .replace(/, (\d+) unchanged.*$/, ', $1 before'),
      );
    case 'drift':
    case 'quarantine':
      return check.figure === '0' ? '0' : `${figureText(check.figure)}, accepted`;
    default:
      return groupedText(check.figure);
  }
}

/** What holds or does not hold at this moment. */
function nowGates(page: ApprovalPage): Gate[] {
  const { limits, atBarrier, standing, needed } = page;
  const sealed = page.sealedByThis;
  const ingress = `/releases/${page.release}/ingress`;
  const pending = { verdict: 'pending' as const, figure: 'after the seal' };
  const within = (value: number, most: number | null) =>
    most === null || value <= most ? ('passed' as const) : ('failed' as const);
  return [
    {
      name: 'barrier',
      label: 'Both at the barrier',
      href: ingress,
      ...(sealed && atBarrier
        ? {
            verdict: atBarrier.old && atBarrier.candidate ? 'passed' : 'running',
            figure: atBarrier.candidate ? '2 of 2' : '1 of 2, catching up',
          }
        : pending),
    },
    {
      name: 'lag',
      label: 'Live lag when sealed',
      href: ingress,
      ...(page.lagAtSealSeconds === null
        ? pending
        : {
            verdict: within(Number(page.lagAtSealSeconds), limits.maxLiveLagSeconds),
            figure: `${durationText(Number(page.lagAtSealSeconds))} of ${durationText(limits.maxLiveLagSeconds ?? 0)}`,
          }),
    },
    {
      name: 'sealed',
      label: 'Sealed time',
      href: ingress,
      ...(sealed && page.sealedSeconds !== null
        ? {
            verdict: within(page.sealedSeconds, limits.maxSealedSeconds),
            figure: `${clockText(page.sealedSeconds)} of ${clockText(limits.maxSealedSeconds ?? 0)}`,
          }
        : pending),
    },
    {
      name: 'buffered',
      label: 'Buffered events',
      href: ingress,
      ...(sealed
        ? {
            verdict: within(Number(page.buffered), Number(limits.maxBufferedEvents ?? '0')),
            figure: `${figureText(page.buffered)} of ${figureText(limits.maxBufferedEvents ?? '0')}`,
          }
        : pending),
    },
    {
      name: 'flags',
      label: 'Not held, not paused',
      verdict: page.held || page.paused ? 'failed' : 'passed',
      figure: page.held
        ? `held by ${page.held.by}`
        : page.paused
          ? `paused by ${page.paused.by}`
          : 'no flag',
    },
    {
      name: 'deadline',
      label: 'Before the deadline',
      verdict: page.deadlinePassed ? 'failed' : 'passed',
      figure: page.deadline === null ? 'none set' : momentText(page.zone, page.deadline),
    },
    {
      name: 'drill',
      label: 'Last drill',
      href: '/oncall',
      verdict: page.drill.holds ? 'passed' : page.drill.running ? 'running' : 'failed',
      figure: drillFigure(page.drill),
    },
    {
      name: 'signatures',
      label: 'Signatures on this evidence',
      verdict: standing.cutover >= (needed.cutover ?? 1) ? 'passed' : 'pending',
      figure: `${standing.cutover} of ${needed.cutover ?? '–'}`,
    },
  ];
}

/** `2:06 of 15:00`, or `no drill yet, none required`. */
function drillFigure(drill: ApprovalPage['drill']): string {
  const words = drillWords(drill);
  if (/^\d/.test(words)) return `${words} of ${clockText(ROLLBACK_LIMIT_SECONDS)}`;
  return drill.required ? words : `${words}, none required`;
}

function watched(page: ApprovalPage, cutOver: boolean): Gate {
  const link = `/releases/${page.release}/cutover`;
  return {
    name: 'oldWrites',
    verdict: cutOver ? 'watching' : 'pending',
    label: `Writes to ${page.oldGeneration ?? 'the old generation'}`,
    figure: cutOver ? 'on the cutover page' : 'after the cutover',
    ...(cutOver ? { href: link } : {}),
  };
}
