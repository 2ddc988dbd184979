import { describe, expect, it } from 'vitest';
import type { MapRange } from './range-map';
import { type Evaluated, type Outcome, settle } from './settle';

const map: MapRange[] = [
  { from: null, to: 100n, segment: '1', transform: 'old' },
  { from: 100n, to: 200n, segment: '2', transform: 'new' },
  { from: 200n, to: null, segment: '1', transform: 'old' },
];
const row = (micros: bigint | null, key: string | null = 'k'): Outcome => ({
  kind: 'row',
  key,
  micros,
  values: [key],
});
const fact = (sourceKey: string, outcomes: Record<string, Outcome> | 'gone'): Evaluated => ({
  sourceKey,
  revision: '1',
  outcomes: outcomes === 'gone' ? 'gone' : new Map(Object.entries(outcomes)),
});
const one = (outcomes: Record<string, Outcome>) => settle(map, [fact('s', outcomes)]);
const error: Outcome = { kind: 'error', code: '22012', error: 'division by zero' };

describe('settling a key', () => {
  it('writes what the territory’s own transform makes', () => {
    expect(one({ old: row(150n, 'a'), new: row(150n, 'b') }).write[0]?.key).toBe('b');
    expect(one({ old: row(50n, 'a'), new: row(50n, 'b') }).write[0]?.key).toBe('a');
  });

  it('quarantines a row that both sides claim, and one that both disown', () => {
    const twice = one({ old: row(50n), new: row(150n) });
    const lost = one({ old: row(150n), new: row(50n) });
    expect([twice, lost].map((s) => s.quarantine[0]?.code)).toEqual([
      'EDGE_CROSSING',
      'EDGE_CROSSING',
    ]);
    expect([...twice.write, ...lost.write]).toEqual([]);
  });

  it('lets a transform’s error matter only where it governs', () => {
    expect(one({ old: error, new: row(150n) }).write).toHaveLength(1);
    expect(one({ old: error, new: row(50n) }).quarantine[0]).toMatchObject({
      code: 'ROW_ERROR',
      error: 'division by zero (22012)',
    });
    expect(one({ old: error, new: { kind: 'filtered' } }).quarantine[0]?.code).toBe('ROW_ERROR');
  });

  it('does not lose a row without a time or a key in silence', () => {
    expect(one({ old: row(null), new: row(null) }).quarantine[0]?.code).toBe('NULL_TIME');
    expect(one({ old: row(50n, null), new: row(50n, null) }).quarantine[0]?.code).toBe('NULL_KEY');
  });

  it('keeps no row of what is deleted, filtered, or outside a candidate’s range', () => {
    const candidate = map.map((r) => (r.transform === 'old' ? { ...r, segment: null } : r));
    expect(settle(candidate, [fact('s', { old: row(50n), new: row(50n) })]).gone).toEqual(['s']);
    expect(settle(map, [fact('s', 'gone')]).gone).toEqual(['s']);
    expect(one({ old: { kind: 'filtered' }, new: { kind: 'filtered' } }).gone).toEqual(['s']);
    expect(one({ old: row(150n), new: { kind: 'filtered' } }).gone).toEqual(['s']);
  });

  it('quarantines both rivals of a key, whatever their order', () => {
    const a = fact('a', { old: row(50n), new: row(50n) });
    const b = fact('b', { old: row(60n), new: row(60n) });
    for (const order of [
      [a, b],
      [b, a],
    ]) {
      const { write, quarantine } = settle(map, order);
      expect(write).toEqual([]);
      expect(quarantine.map((q) => q.sourceKey).sort()).toEqual(['a', 'b']);
      expect(quarantine[0]?.error).toContain('a, b');
    }
  });

  it('lets two keys swap in one step', () => {
    const swapped = settle(map, [
      fact('a', { old: row(50n, 'B'), new: row(50n, 'B') }),
      fact('b', { old: row(50n, 'A'), new: row(50n, 'A') }),
    ]);
    expect(swapped.write.map((r) => [r.sourceKey, r.key])).toEqual([
      ['a', 'B'],
      ['b', 'A'],
    ]);
    expect(swapped.quarantine).toEqual([]);
  });
});
