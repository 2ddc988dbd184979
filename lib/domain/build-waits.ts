/** What decides whether a build goes on, as read at one moment. */
export interface BuildFacts {
  state: string;
  /** Null before the pin. */
  snapshotReady: boolean | null;
  paused: { by: string; why: string | null } | null;
  held: { by: string; why: string | null } | null;
  draining: boolean;
  planned: number;
  receipts: number;
  building: number;
  failed: number;
  /** Planned, and nobody works on them. */
  waiting: number;
  /** Partitions built at once. */
  concurrency: number | null;
}

/** One reason why a build waits; `person` where somebody has to act. */
export interface BuildWait {
  code:
    | 'draft'
    | 'snapshot'
    | 'start'
    | 'paused'
    | 'held'
    | 'draining'
    | 'limit'
    | 'worker'
    | 'failed';
  kind: 'wait' | 'person';
  text: string;
}

const because = (flag: { by: string; why: string | null }) =>
  `${flag.by}${flag.why === null ? '' : `: ${flag.why}`}`;

/** Every reason why partitions of a release wait to be built, the decisive one first. */
export function buildWaits(f: BuildFacts): BuildWait[] {
  if (f.state === 'DRAFT') {
    return [
      { code: 'draft', kind: 'person', text: 'nothing is planned before the draft is pinned' },
    ];
  }
  const waits: BuildWait[] = [];
  if (f.snapshotReady === false) {
    waits.push({ code: 'snapshot', kind: 'wait', text: 'the snapshot is being written' });
  }
  if (f.state === 'SNAPSHOT_PINNED' && f.snapshotReady === true) {
    waits.push({ code: 'start', kind: 'person', text: 'the build has not been started' });
  }
  if (f.state !== 'BUILDING') return waits;
  if (f.paused) {
    waits.push({ code: 'paused', kind: 'person', text: `paused by ${because(f.paused)}` });
  }
  if (f.held) waits.push({ code: 'held', kind: 'person', text: `held by ${because(f.held)}` });
  if (f.draining)
    waits.push({ code: 'draining', kind: 'wait', text: 'running attempts are drained' });
  if (f.failed > 0) {
    const one = f.failed === 1;
    waits.push({
      code: 'failed',
      kind: 'person',
      text: `${f.failed} failed ${one ? 'partition waits' : 'partitions wait'} for a retry`,
    });
  }
  const stopped = f.paused !== null || f.held !== null || f.snapshotReady === false || f.draining;
  if (f.waiting > 0 && !stopped) {
    const limit = f.concurrency ?? 1;
    if (f.building >= limit) {
      waits.push({
        code: 'limit',
        kind: 'wait',
        text: `${f.building} of at most ${limit} at once are being built`,
      });
    } else if (f.building === 0) {
      waits.push({ code: 'worker', kind: 'wait', text: 'no job runner has taken a partition yet' });
    }
  }
  return waits;
}
