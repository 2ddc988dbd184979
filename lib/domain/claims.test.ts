import { describe, expect, it } from 'vitest';
import { type Claimed, claimBlockers, claimRanges, isReleaseOwner, readClaimOwner } from './claims';

const claimed = (start: string, end: string, owner: string, at = '1'): Claimed => ({
  start,
  end,
  owner,
  by: 'ana',
  at,
});

describe('an owner’s name', () => {
  it.each(['nightly', 'ana@example.com', 'the 3 o’clock job', 'x'.repeat(80)])('%s', (name) => {
    expect(readClaimOwner(name)).toEqual({ ok: true, value: name });
  });

  it.each(['fix@1', 'Fix@03', '@1', '', ' a', 'a\tb', 'a\u2028b', 'a\u202eb', 'x'.repeat(81), 7])(
    'is not %j',
    (name) => {
      expect(readClaimOwner(name)).toMatchObject({ ok: false, code: 'INVALID_NAME' });
    },
  );

  it('of a release is told by its form', () => {
    expect(['fix@1', 'ana', 'a@b.example'].map(isReleaseOwner)).toEqual([true, false, false]);
  });
});

describe('ranges', () => {
  it('join neighbours of one owner, and neither gaps nor others', () => {
    const list = [
      claimed('a', 'b', 'x', '2'),
      claimed('b', 'c', 'x', '1'),
      claimed('c', 'd', 'y'),
      claimed('d', 'e', 'x'),
      claimed('f', 'g', 'x'),
      { ...claimed('g', 'h', 'x'), by: 'dee' },
    ];
    expect(claimRanges(list)).toEqual([
      { from: 'a', to: 'c', partitions: 2, owner: 'x', by: 'ana', since: '1' },
      { from: 'c', to: 'd', partitions: 1, owner: 'y', by: 'ana', since: '1' },
      { from: 'd', to: 'e', partitions: 1, owner: 'x', by: 'ana', since: '1' },
      { from: 'f', to: 'g', partitions: 1, owner: 'x', by: 'ana', since: '1' },
      { from: 'g', to: 'h', partitions: 1, owner: 'x', by: 'dee', since: '1' },
    ]);
  });
});

describe('what is in a build’s way', () => {
  it('is nothing without claims', () => {
    expect(claimBlockers('d', [])).toEqual([]);
  });

  it('comes by itself only where releases alone hold it', () => {
    const kinds = (...owners: string[]) =>
      claimBlockers(
        'd',
        claimRanges(owners.map((owner, n) => claimed(String(n), String(n + 1), owner))),
      ).map((b) => b.kind);
    expect(kinds('a@1', 'b@2')).toEqual(['wait']);
    expect(kinds('a@1', 'nightly')).toEqual(['fix']);
  });
});
