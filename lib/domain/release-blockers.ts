import { plural } from '@/lib/domain/figures';
import { type ClaimRange, claimBlockers } from './claims';
import { type DrillFacts, drillMissing } from './drill';
import { type Blocker, toFix, toWait } from './refusal';
import { type SealedInWay, sealedBlockers } from './sealed';

/** Everything that decides whether a release may move, as read at one moment. */
export interface ReleaseFacts {
  state: string;
  reference: string;
  dataset: string;
  /** Of a pinned release whose build has not started: others' claims on its plan. */
  claimed: readonly ClaimRange[];
  paused: boolean;
  held: boolean;
  draining: boolean;
  deadline: string;
  deadlinePassed: boolean;
  snapshotReady: boolean;
  /** The generation that the release was pinned on is the active one. */
  baseIsActive: boolean;
  serving: boolean;
  ingress: {
    state: 'OPEN' | 'SEALED';
    epoch: number;
    sealedByThis: boolean;
    expired: boolean;
    rollbackInProgress: boolean;
  };
  planned: number;
  receipts: number;
  failed: number;
  running: number;
  rehearsal: null | {
    verdict: string;
    newerThanReceipts: boolean;
    unexplained: string;
    driftNotAccepted: string;
    failedChecks: { name: string; figure: string; expected: string }[];
  };
  rehearsing: boolean;
  /** Quarantined events of the candidate that no acceptance covers. */
  quarantined: string;
  lagSeconds: number;
  maxLagSeconds: number;
  buffered: string;
  maxBuffered: string;
  /** Events that the candidate holds of those up to the barrier; null before the seal. */
  barrier: null | { applied: string; total: string; exact: boolean };
  evidence: string | null;
  /** Signatures of distinct entitled people that stand on the current evidence. */
  signed: { cutover: number; rollback: number };
  needed: { cutover: number; rollback: number };
  /** Whether the old generation can still be gone back to; the log must hold all that it lacks. */
  old: { kept: boolean; windowOpen: boolean; logReaches: boolean };
  trouble: null | { step: string; why: string };
  drill: DrillFacts;
  /** Of a release that says REFUSE: what of its range was published. */
  sealed: SealedInWay;
}

/** What one person brings to a move. */
export interface ActorFacts {
  person: string;
  isAuthor: boolean;
  signedCutover: boolean;
  executorMayApprove: boolean;
}

const flags = (f: ReleaseFacts): Blocker[] => [
  ...(f.held ? [toFix('HELD', 'The release is held; lift the hold first.')] : []),
  ...(f.paused ? [toFix('PAUSED', 'The release is paused; resume it first.')] : []),
  ...(f.draining
    ? [
        toWait(
          'DRAINING',
          `${plural(f.running, 'attempt')} still ${f.running === 1 ? 'runs and is' : 'run and are'} being drained.`,
        ),
      ]
    : []),
];

const base = (f: ReleaseFacts): Blocker[] =>
  f.baseIsActive
    ? []
    : [
        toFix(
          'GENERATION_MOVED',
          'Another generation became active since the pin: make the next revision.',
        ),
      ];

/** Why the build may not begin. */
export function buildBlockers(f: ReleaseFacts): Blocker[] {
  return [
    ...flags(f),
    ...base(f),
    ...sealedBlockers(f.sealed),
    ...claimBlockers(f.dataset, f.claimed),
  ];
}

/** Why a rehearsal cannot be made now. */
export function rehearseBlockers(f: ReleaseFacts): Blocker[] {
  return [
    ...flags(f).filter((b) => b.code !== 'HELD'),
    ...missingPartitions(f),
    ...(f.rehearsing ? [toWait('WORKING', 'A rehearsal is under way.')] : []),
  ];
}

/** The partitions of the plan that have no receipt. */
export function missingPartitions(f: ReleaseFacts): Blocker[] {
  if (f.receipts === f.planned) return [];
  const missing = f.planned - f.receipts;
  const current = `${f.receipts} of ${f.planned}`;
  const expected = `${f.planned} of ${f.planned}`;
  return f.failed > 0
    ? [
        toFix(
          'PARTITIONS_MISSING',
          `${plural(f.failed, 'partition')} failed, ${missing} of ${f.planned} have no receipt: retry them.`,
          { expected, current },
        ),
      ]
    : [
        toWait('PARTITIONS_MISSING', `${missing} of ${f.planned} partitions have no receipt yet.`, {
          expected,
          current,
        }),
      ];
}

/**
 * Everything that stands between a built release and the seal. What the cutover would be refused for
 * in the end is among it: a seal that leads nowhere holds up live writing for nothing.
 */
export function sealBlockers(f: ReleaseFacts): Blocker[] {
  return [...flags(f), ...switchBlockers(f), ...drillMissing(f.drill)];
}

/**
 * Why its cutover and rollback cannot be tried now: a drill seals, reconciles and switches a fork by
 * the rules of production, so what would refuse production's seal refuses it. A hold does not; it
 * keeps the release from moving forward, and a drill does not move it.
 */
export function drillBlockers(f: ReleaseFacts): Blocker[] {
  return [
    ...flags(f).filter((b) => b.code !== 'HELD'),
    ...switchBlockers(f),
    ...(f.rehearsing ? [toWait('WORKING', 'A rehearsal is under way.')] : []),
    ...(f.drill.busy ? [toWait('WORKING', 'A drill of this dataset is under way.')] : []),
  ];
}

function switchBlockers(f: ReleaseFacts): Blocker[] {
  const found = [...base(f), ...sealedBlockers(f.sealed), ...missingPartitions(f)];
  if (f.ingress.rollbackInProgress) {
    found.push(
      toWait('ROLLBACK_IN_PROGRESS', 'A rollback of this dataset is in progress; it goes first.'),
    );
  }
  if (f.ingress.state === 'SEALED') {
    found.push(
      toWait('EPOCH_SEALED', `Ingress is sealed under epoch ${f.ingress.epoch} already.`, {
        expected: 'OPEN',
        current: 'SEALED',
      }),
    );
  }
  if (f.deadlinePassed) found.push(toFix('DEADLINE_PASSED', `The deadline was ${f.deadline}.`));
  if (f.quarantined !== '0') {
    found.push(
      toFix(
        'QUARANTINED',
        `${plural(BigInt(f.quarantined), 'event')} could not become rows and nobody accepted that.`,
        {
          expected: '0',
          current: f.quarantined,
        },
      ),
    );
  }
  found.push(...rehearsalBlockers(f));
  if (f.lagSeconds > f.maxLagSeconds) {
    found.push(
      toWait('LAG_OVER_LIMIT', `Live lag is ${f.lagSeconds} s, the limit ${f.maxLagSeconds} s.`, {
        expected: `≤ ${f.maxLagSeconds} s`,
        current: `${f.lagSeconds} s`,
      }),
    );
  }
  return found;
}

function rehearsalBlockers(f: ReleaseFacts): Blocker[] {
  if (f.receipts !== f.planned) {
    return [toWait('REHEARSAL_MISSING', 'The rehearsal comes after the last receipt.')];
  }
  const rehearsal = f.rehearsal;
  if (!rehearsal?.newerThanReceipts) {
    return f.rehearsing
      ? [toWait('REHEARSAL_MISSING', 'The rehearsal is under way.')]
      : [
          toFix(
            'REHEARSAL_MISSING',
            'No rehearsal is newer than the last receipt: rehearse first.',
          ),
        ];
  }
  if (rehearsal.verdict === 'incomplete') {
    return [toFix('CHECK_INCOMPLETE', 'The rehearsal stopped before its end: rehearse again.')];
  }
  const found: Blocker[] = [];
  if (rehearsal.unexplained !== '0') {
    found.push(
      toFix(
        'UNEXPLAINED_DIFF',
        `${plural(BigInt(rehearsal.unexplained), 'row')} ${rehearsal.unexplained === '1' ? 'differs' : 'differ'} and no declared rule explains it.`,
        {
          expected: '0',
          current: rehearsal.unexplained,
        },
      ),
    );
  }
  if (rehearsal.driftNotAccepted !== '0') {
    found.push(
      toFix(
        'DRIFT_NOT_ACCEPTED',
        `${plural(BigInt(rehearsal.driftNotAccepted), 'row')} of drift ${rehearsal.driftNotAccepted === '1' ? 'is' : 'are'} not accepted.`,
        {
          expected: '0',
          current: rehearsal.driftNotAccepted,
        },
      ),
    );
  }
  for (const check of rehearsal.failedChecks) {
    if (check.name === 'expected_diff' || check.name === 'drift' || check.name === 'quarantine')
      continue;
    const code = check.name.startsWith('contract:')
      ? 'CONTRACT_FAILED'
      : check.name.startsWith('conserved:')
        ? 'CONSERVED_DIFFERENCE'
        : check.name === 'partition_closure'
          ? 'COVERAGE_GAP'
          : check.name.startsWith('expected:')
            ? 'EXPECTATION_FAILED'
            : 'CHECK_FAILED';
    found.push(
      toFix(code, `Check ${check.name}: ${check.figure}, expected ${check.expected}.`, {
        expected: check.expected,
        current: check.figure,
      }),
    );
  }
  return found;
}

/** Why nobody can sign yet, whoever signs. */
export function signBlockers(f: ReleaseFacts): Blocker[] {
  const found = flags(f);
  if (f.evidence === null)
    found.push(toWait('EVIDENCE_MISSING', 'There is no evidence at the barrier yet.'));
  if (f.deadlinePassed) found.push(toFix('DEADLINE_PASSED', `The deadline was ${f.deadline}.`));
  return found;
}

/** Every condition of the cutover that does not hold; the statement itself checks the same. */
export function activateBlockers(f: ReleaseFacts, actor: ActorFacts | null): Blocker[] {
  const found = [...flags(f), ...base(f), ...sealedBlockers(f.sealed)];
  if (f.ingress.rollbackInProgress) {
    found.push(
      toWait('ROLLBACK_IN_PROGRESS', 'A rollback of this dataset is in progress; it goes first.'),
    );
  }
  if (f.ingress.state !== 'SEALED' || !f.ingress.sealedByThis) {
    found.push(
      toFix('NOT_SEALED', 'The release does not hold the seal of its dataset.', {
        expected: 'SEALED by this release',
        current: f.ingress.state,
      }),
    );
  } else if (f.ingress.expired) {
    found.push(
      toFix(
        'SEALED_TOO_LONG',
        'Ingress was sealed for longer than the release allows: it reopens.',
      ),
    );
  }
  if (f.barrier && !f.barrier.exact) {
    found.push(
      toWait(
        'BARRIER_NOT_COVERED',
        `The candidate holds ${f.barrier.applied} of ${f.barrier.total} events up to the barrier.`,
        {
          expected: `${f.barrier.total} of ${f.barrier.total}`,
          current: `${f.barrier.applied} of ${f.barrier.total}`,
        },
      ),
    );
  }
  if (f.quarantined !== '0') {
    found.push(
      toFix(
        'QUARANTINED',
        `${plural(BigInt(f.quarantined), 'quarantined event')} ${f.quarantined === '1' ? 'is' : 'are'} not accepted.`,
        {
          expected: '0',
          current: f.quarantined,
        },
      ),
    );
  }
  if (f.evidence === null)
    found.push(toWait('EVIDENCE_MISSING', 'There is no evidence at the barrier yet.'));
  if (f.signed.cutover < f.needed.cutover) {
    found.push(
      toFix(
        'APPROVALS_MISSING',
        `${f.signed.cutover} of ${f.needed.cutover} signatures stand on the current evidence.`,
        {
          expected: `${f.needed.cutover} of ${f.needed.cutover}`,
          current: `${f.signed.cutover} of ${f.needed.cutover}`,
        },
      ),
    );
  }
  if (f.deadlinePassed) found.push(toFix('DEADLINE_PASSED', `The deadline was ${f.deadline}.`));
  if (actor?.signedCutover && !actor.executorMayApprove) {
    found.push(
      toFix(
        'EXECUTOR_SIGNED',
        'You signed this cutover; the dataset’s policy lets somebody else execute it.',
      ),
    );
  }
  found.push(...drillMissing(f.drill));
  return found;
}

/** Why the old generation cannot be gone back to. */
export function rollbackBlockers(f: ReleaseFacts): Blocker[] {
  const found: Blocker[] = [];
  if (!f.serving) {
    found.push(toFix('NOT_SERVING', 'Its generation is not the one in use.'));
  }
  if (!f.old.kept || !f.old.windowOpen) {
    found.push(toFix('ROLLBACK_WINDOW_CLOSED', 'The old generation is no longer kept.'));
  } else if (!f.old.logReaches) {
    found.push(
      toFix(
        'RECONCILIATION_REQUIRED',
        'The log no longer reaches back to where the old generation was left, so what was written since cannot be replayed: make a release that repairs the range.',
      ),
    );
  }
  if (f.ingress.rollbackInProgress) {
    found.push(toWait('ROLLBACK_IN_PROGRESS', 'A rollback of this dataset is in progress.'));
  }
  if (f.signed.rollback < f.needed.rollback) {
    found.push(
      toFix(
        'ROLLBACK_UNSIGNED',
        `${f.signed.rollback} of ${f.needed.rollback} signatures for the rollback stand.`,
        {
          expected: `${f.needed.rollback} of ${f.needed.rollback}`,
          current: `${f.signed.rollback} of ${f.needed.rollback}`,
        },
      ),
    );
  }
  return found;
}
