import { describe, expect, it } from 'vitest';
import { type Recorded, recordText } from './record';

const record: Recorded = {
  id: '1',
  release: 'vat-fix@3',
  dataset: 'order_tax',
  zone: 'Europe/London',
  state: 'done',
  by: 'dee',
  why: 'the ledger does not tie out',
  requestedAt: '2026-07-01T02:13:04.5Z',
  endedAt: '2026-07-01T02:14:30.5Z',
  seconds: 86,
  events: '1204',
  generation: 'vat-fix-g3',
  oldGeneration: 'first load',
  steps: [
    {
      step: 'replay',
      startedAt: '2026-07-01T02:13:04.5Z',
      endedAt: '2026-07-01T02:14:10.5Z',
      atSeconds: 66,
    },
    { step: 'seal', startedAt: '2026-07-01T02:14:10.5Z', endedAt: null, atSeconds: 86 },
  ],
  signed: { person: 'bo', at: '2026-06-30T10:00:00Z', digest: 'sha256:abc' },
  cutover: { by: 'dee', at: '2026-07-01T01:00:00Z' },
};

describe('recordText', () => {
  it('says what, when with zone and in UTC, who, why, how much and how long', () => {
    expect(recordText(record, 'https://interlock.example')).toBe(
      [
        'Rollback of vat-fix@3 on order_tax: done',
        '',
        'Measured time: 1:26 of 15:00, in time',
        'Asked for by dee, 1 Jul 2026 03:13:04 BST (2026-07-01T02:13:04.5Z)',
        'Ended 1 Jul 2026 03:14:30 BST (2026-07-01T02:14:30.5Z)',
        'Why: the ledger does not tie out',
        'From vat-fix-g3 to first load; order_tax serves first load',
        'Events written since the cutover: 1,204 events, each replayed once, none lost',
        'Signed by bo, 30 Jun 2026 11:00:00 BST (2026-06-30T10:00:00Z), evidence sha256:abc',
        'Cut over by dee, 1 Jul 2026 02:00:00 BST (2026-07-01T01:00:00Z)',
        '',
        'Steps, minutes and seconds after it was asked for:',
        '  1:06 replayed into first load, readers and writers where they were',
        '',
        'https://interlock.example/releases/vat-fix@3',
      ].join('\n'),
    );
  });

  it('says by how much it was late', () => {
    expect(recordText({ ...record, seconds: 942 }, '')).toContain(
      'Measured time: 15:42 of 15:00, late by 42 s',
    );
  });

  it('does not say that one went through which did not', () => {
    const { signed: _, cutover: __, ...bare } = record;
    const called = recordText({ ...bare, state: 'called_off', why: null, steps: [] }, '');
    expect(called).toContain('order_tax serves vat-fix-g3 as before');
    expect(called).toContain('Why: no reason was given');
    expect(called).toContain('none landed');
    expect(called).not.toContain('Signed');
    const failed = recordText({ ...bare, state: 'failed', why: 'the log is gone' }, '');
    expect(failed).toContain('What stopped it: the log is gone');
  });
});
