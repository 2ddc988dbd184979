import { RELEASE_LOOKS, type ReleaseStateName, type StateLook } from '@/components/release/states';
import { formatCount, formatDecimal, formatDuration, nOfM, plural } from '@/lib/domain/figures';
import type { ReleaseHeader } from '@/lib/queries/release-header';
import { whenZoned } from '../../times';

/** The one-line status of a release, as plain data. */
export interface Status {
  look: StateLook;
  turning: boolean;
  done?: number;
  total?: number;
  noun: string;
  rate?: string;
  workers?: string;
  waits?: string;
  secondsLeft?: number | null;
  /** Seconds that ingress was sealed when this was read, and how long it may be. */
  sealed?: { seconds: number; most: number };
}

/** Without a sign of a worker for this long, that is the reason for waiting. */
const QUIET_SECONDS = 15;

/** What a release is at, how fast, and why it waits. */
export function statusOf(header: ReleaseHeader): Status {
  const { brief } = header;
  const look = RELEASE_LOOKS[brief.turn.state as ReleaseStateName];
  const still = (noun: string): Status => ({ look, turning: false, noun, ...stopped(header) });
  switch (brief.turn.state) {
    case 'DRAFT':
      return still(`Draft, version ${brief.version}, nothing is frozen`);
    case 'SNAPSHOT_PINNED':
      return pinned(header, look);
    case 'BUILDING':
      return building(header, look);
    case 'INGRESS_SEALED':
      return catchingUp(header, look);
    case 'CAUGHT_UP':
      return comparing(header, look, 'partitions reconciled');
    case 'RECONCILED':
    case 'APPROVED':
      return {
        look,
        turning: false,
        noun: `${nOfM(brief.turn.signed.cutover, brief.turn.needed.cutover)} signatures for the cutover`,
        ...stopped(header),
        ...sealed(header),
      };
    case 'ACTIVE':
      return active(header, look);
    case 'RECONCILIATION_REQUIRED':
      return still(`Stopped since ${whenZoned(brief.zone, brief.since.at, header.now).text}`);
    default:
      return still(ended(header));
  }
}

/** A flag that keeps work from going on. */
function stopped({ brief }: ReleaseHeader): Pick<Status, 'waits'> {
  const said = (what: string, flag: { by: string; why: string | null }) => ({
    waits: `${what} by ${flag.by}${flag.why ? `, ${flag.why}` : ''}`,
  });
  if (brief.held) return said('held', brief.held);
  if (brief.paused) return said('paused', brief.paused);
  if (brief.draining) return { waits: `${plural(brief.running, 'attempt')} being drained` };
  return {};
}

function sealed({ brief }: ReleaseHeader): Pick<Status, 'sealed'> {
  return brief.sealedSeconds === null || brief.maxSealedSeconds === null
    ? {}
    : { sealed: { seconds: brief.sealedSeconds, most: brief.maxSealedSeconds } };
}

function pinned(header: ReleaseHeader, look: StateLook): Status {
  const { snapshot, brief } = header;
  if (!snapshot?.ready) {
    const seconds = formatDuration(snapshot?.seconds ?? 0);
    return {
      look,
      turning: true,
      noun: `Snapshot is being written for ${seconds}`,
      ...stopped(header),
    };
  }
  return {
    look,
    turning: false,
    noun: `Pinned, snapshot of ${formatDecimal(snapshot.rows)} facts, ${plural(brief.turn.planned, 'partition')} planned`,
    ...stopped(header),
  };
}

function building(header: ReleaseHeader, look: StateLook): Status {
  const { brief, pace, concurrency, reconciliation } = header;
  const { turn } = brief;
  const missing = turn.planned - turn.receipts;
  if (missing === 0) {
    return turn.rehearsal === 'running' || reconciliation?.verdict === 'running'
      ? comparing(header, look, 'partitions rehearsed')
      : { look, turning: false, noun: builtText(header), ...stopped(header) };
  }
  const atWork = brief.running > 0;
  return {
    look,
    turning: atWork,
    done: turn.receipts,
    total: turn.planned,
    noun: 'built',
    ...(atWork && pace ? { rate: `${formatCount(Math.round(pace.factsPerSecond))} rows/s` } : {}),
    workers: `${brief.running} of ${plural(concurrency ?? 1, 'worker')}`,
    ...waitsFor(header),
    secondsLeft: atWork && pace ? missing / pace.partitionsPerSecond : null,
  };
}

/** Why a build stands still, where it does. */
function waitsFor(header: ReleaseHeader): Pick<Status, 'waits'> {
  const { brief, snapshot, quietSeconds } = header;
  const flagged = stopped(header);
  if (flagged.waits) return flagged;
  if (snapshot && !snapshot.ready) return { waits: 'the snapshot is being written' };
  const { planned, receipts, failed } = brief.turn;
  if (receipts + failed === planned && failed > 0) {
    return { waits: `${plural(failed, 'partition')} failed, retry them` };
  }
  if (brief.running > 0) return {};
  if (quietSeconds === null || quietSeconds > QUIET_SECONDS) {
    return { waits: 'no worker has taken a partition lately; is a job runner up?' };
  }
  return {};
}

function builtText({ brief, behind, reconciliation }: ReleaseHeader): string {
  const built = `${nOfM(brief.turn.receipts, brief.turn.planned)} built`;
  const after = behind === '0' ? '' : `, ${plural(BigInt(behind), 'event')} behind`;
  const rehearsal = brief.turn.rehearsal;
  if (rehearsal === 'none') return `${built}${after}, not rehearsed`;
  if (rehearsal === 'stale')
    return `${built}${after}, the rehearsal is older than the last receipt`;
  if (rehearsal === 'incomplete') return `${built}${after}, the rehearsal is incomplete`;
  const unexplained = formatDecimal(reconciliation?.unexplained ?? '0');
  return rehearsal === 'passed'
    ? `${built}${after}, rehearsed, ${unexplained} unexplained`
    : `${built}${after}, the rehearsal failed, ${unexplained} unexplained`;
}

function comparing(header: ReleaseHeader, look: StateLook, noun: string): Status {
  const { reconciliation, brief } = header;
  const runs = reconciliation?.verdict === 'running';
  return {
    look,
    turning: runs,
    ...(runs ? { done: reconciliation.compared, total: brief.turn.planned } : {}),
    noun: runs ? noun : 'Comparing begins',
    ...stopped(header),
    ...sealed(header),
  };
}

function catchingUp(header: ReleaseHeader, look: StateLook): Status {
  const { barrier } = header;
  return {
    look,
    turning: false,
    ...(barrier && barrier.total !== '0'
      ? { done: Number(barrier.applied), total: Number(barrier.total) }
      : {}),
    noun: barrier?.total === '0' ? 'No event up to the barrier to catch up' : 'events applied',
    ...stopped(header),
    ...sealed(header),
  };
}

function active(header: ReleaseHeader, look: StateLook): Status {
  const { brief, rollback, cutover, now } = header;
  if (brief.turn.rollingBack && rollback) {
    return {
      look: { ...RELEASE_LOOKS.ROLLED_BACK, label: 'Rolling back' },
      turning: true,
      done: Number(rollback.replayed),
      total: Math.max(Number(rollback.events), Number(rollback.replayed)),
      noun: 'events replayed',
    };
  }
  const since = cutover ? ` since ${whenZoned(brief.zone, cutover.at, now).text}` : '';
  const until = brief.keptUntil
    ? `, can be rolled back until ${whenZoned(brief.zone, brief.keptUntil, now).text}`
    : '';
  return {
    look,
    turning: false,
    noun: brief.turn.serving ? `Serving${since}${until}` : 'Active, but another generation serves',
  };
}

function ended({ brief, now }: ReleaseHeader): string {
  const { by, at, why } = brief.since;
  const label = RELEASE_LOOKS[brief.turn.state as ReleaseStateName].label;
  return `${label} by ${by}, ${whenZoned(brief.zone, at, now).text}${why ? `: ${why}` : ''}`;
}
