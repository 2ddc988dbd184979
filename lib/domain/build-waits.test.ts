import { describe, expect, it } from 'vitest';
import { type BuildFacts, buildWaits } from './build-waits';

const building: BuildFacts = {
  state: 'BUILDING',
  snapshotReady: true,
  paused: null,
  held: null,
  draining: false,
  planned: 10,
  receipts: 2,
  building: 2,
  failed: 0,
  waiting: 6,
  concurrency: 4,
};
const codes = (facts: Partial<BuildFacts>) =>
  buildWaits({ ...building, ...facts }).map((wait) => wait.code);

describe('buildWaits', () => {
  it('has no reason while workers take what the limit leaves', () => {
    expect(codes({})).toEqual([]);
    expect(codes({ waiting: 0, building: 0, receipts: 10 })).toEqual([]);
  });

  it('names the limit, and a missing worker', () => {
    expect(codes({ building: 4 })).toEqual(['limit']);
    expect(codes({ building: 0 })).toEqual(['worker']);
  });

  it('says who paused and why, and then nothing of limits', () => {
    const [wait, ...rest] = buildWaits({
      ...building,
      paused: { by: 'runner', why: 'stop-loss: 3 partitions failed, the limit is 3' },
      failed: 3,
      building: 0,
    });
    expect(wait?.text).toBe('paused by runner: stop-loss: 3 partitions failed, the limit is 3');
    expect(rest.map((each) => each.code)).toEqual(['failed']);
    expect(codes({ paused: { by: 'dee', why: null }, building: 4 })).toEqual(['paused']);
  });

  it('waits for the snapshot, and for somebody to start', () => {
    expect(codes({ snapshotReady: false, building: 0 })).toEqual(['snapshot']);
    expect(codes({ state: 'SNAPSHOT_PINNED', snapshotReady: false })).toEqual(['snapshot']);
    expect(codes({ state: 'SNAPSHOT_PINNED' })).toEqual(['start']);
    expect(codes({ state: 'DRAFT', snapshotReady: null })).toEqual(['draft']);
  });

  it('has nothing to say once the build is over', () => {
    expect(codes({ state: 'INGRESS_SEALED', failed: 0, waiting: 0 })).toEqual([]);
  });
});
