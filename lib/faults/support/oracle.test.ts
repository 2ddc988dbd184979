import { expect, it } from 'vitest';
import { Ledger, rates } from '@/lib/faults/support/oracle';
import { shardOf } from '@/lib/services/source';
import { event } from '@/lib/testing/world';

const at = '2011-01-05T12:00:00Z';

it('takes the newest revision of each key, without deletes, up to a watermark', () => {
  const ledger = new Ledger();
  ledger.note([
    event({ line: 'a', at, price: '100.00' }),
    event({ line: 'a', at, price: '0.03', quantity: 3, revision: 3 }),
    event({ line: 'a', at, price: '7.00', revision: 2 }),
    event({ line: 'b', at, price: '1.00' }),
    event({ line: 'b', at, revision: 2, op: 'delete' }),
  ]);
  const whole = rates();
  // 0.09 × 0.175 = 0.01575
  expect(ledger.rowsAt(ledger.ends, whole)).toEqual([`a ${at} UK 0.090 0.02`]);
  const early = Array<string>(8).fill('0');
  early[shardOf('a', 8)] = '1';
  expect(ledger.rowsAt(early, whole)).toEqual([`a ${at} UK 100.000 17.50`]);
  const fixed = rates({ from: '2011-01-05T00:00:00Z', to: '2011-01-06T00:00:00Z', rate: '0.20' });
  expect(ledger.rowsAt(early, fixed)).toEqual([`a ${at} UK 100.000 20.00`]);
  expect(ledger.covers(ledger.ends)).toBe(true);
  expect(fixed('2011-01-06T00:00:00Z')).toBe('0.175');
  expect(fixed('2011-01-05T23:59:59.999999Z')).toBe('0.20');
  expect(fixed('2011-01-06T00:00:00.000001Z')).toBe('0.175');
});
