import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeApi } from '@/lib/cli/interlock/fake-api';

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start();
});
afterAll(() => api.stop());
beforeEach(() => api.reset());

const range = { from: '2011-01-04T00:00:00Z', to: '2011-01-06T00:00:00Z' };
const green = {
  id: '7',
  dataset: 'orders',
  state: 'done',
  green: true,
  range,
  owner: 'nightly',
  by: 'dee',
  why: null,
  secondNeeded: false,
  secondBy: null,
  retryOf: null,
  scheduledFor: null,
  done: [range.from, '2011-01-05T00:00:00Z'],
  changed: [range.from],
  skipped: [] as [string, string][],
  failed: [] as [string, string][],
  planned: [] as string[],
  rows: '1234',
};
const start = 'POST /api/v1/datasets/orders/runs';
const run = (...more: string[]) =>
  api.interlock('run', 'orders', range.from, range.to, '--owner', 'nightly', ...more);

describe('run', () => {
  it('asks, waits, and says what became of it', async () => {
    api.replies[start] = [201, green];
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(out).toContain('done, green');
    expect(out).toContain('2 done (1 changed), 0 skipped, 0 failed, 0 to come');
    expect(out).toContain('1,234');
    expect(api.calls[0]?.body).toEqual({ ...range, owner: 'nightly' });
    expect(api.calls[0]?.headers).toHaveProperty('idempotency-key');
    expect(new URL(api.calls[0]?.url ?? '', 'http://x').searchParams.get('wait')).toBe('30');
  });

  it('exits with 1 where it is not green, and lists each skip and each failure', async () => {
    api.replies[start] = [
      201,
      {
        ...green,
        state: 'failed',
        green: false,
        done: [],
        skipped: [[range.from, 'claimed_by:ops']],
        failed: [['2011-01-05T00:00:00Z', 'no room']],
      },
    ];
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toContain('skipped  2011-01-04T00:00:00Z  claimed_by:ops\n');
    expect(out).toContain('failed   2011-01-05T00:00:00Z  no room\n');
  });

  it('goes on asking until it has ended', async () => {
    api.replies[start] = [201, { ...green, state: 'running', green: null }];
    api.replies['GET /api/v1/runs/7'] = [
      [200, { ...green, state: 'running', green: null }],
      [200, green],
    ];
    expect((await run('--wait')).code).toBe(0);
    expect(api.calls).toHaveLength(3);
  });

  it('does not wait where that is said, nor for a second person', async () => {
    api.replies[start] = [
      [201, { ...green, state: 'planned', green: null }],
      [201, { ...green, state: 'second_person', green: null, secondNeeded: true }],
    ];
    expect((await run('--wait', '0')).code).toBe(0);
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toContain('another person has to confirm it');
  });

  it('sends the answers, all of them or none', async () => {
    api.replies[start] = [201, green];
    const answers = ['--overwritable', 'yes', '--earlier-complete', 'no', '--tell', 'kim'];
    expect((await run(...answers)).code).toBe(2);
    expect(api.calls).toEqual([]);
    expect((await run(...answers, '--published-seen', 'yes')).code).toBe(0);
    expect(api.calls[0]?.body).toMatchObject({
      answers: { overwritable: true, earlierComplete: false, publishedSeen: true, tell: 'kim' },
    });
    expect((await run('--overwritable', 'maybe')).code).toBe(2);
  });

  it('exits with 3 where it is refused', async () => {
    const blockers = [{ code: 'NOT_OVERWRITABLE', kind: 'fix', message: 'You said so.' }];
    api.replies[start] = [409, { code: 'NOT_OVERWRITABLE', detail: 'You said so.', blockers }];
    const { code, said } = await run();
    expect([code, said]).toEqual([3, expect.stringContaining('NOT_OVERWRITABLE  You said so.')]);
  });

  it('lists, shows, retries, confirms and cancels', async () => {
    const counts = { planned: 0, done: 2, skipped: 0, failed: 0, changed: 1 };
    const item = { ...green, kind: 'scheduled', counts, createdAt: '2011-02-01T00:00:00Z' };
    api.replies['GET /api/v1/datasets/orders/runs'] = [200, { items: [item], nextCursor: 'n' }];
    const { out } = await api.interlock('run', 'list', 'orders', '--kind', 'scheduled');
    expect(out).toMatch(/RUN +KIND +STATE +FROM +TO +OWNER +DONE\/SKIPPED\/FAILED +ASKED\n/);
    expect(out).toContain('more: --cursor n');
    api.replies['GET /api/v1/runs/7'] = [200, green];
    expect((await api.interlock('run', 'show', '7')).out).toContain('done, green');
    api.replies['POST /api/v1/runs/7/retry'] = [201, { ...green, id: '8', retryOf: '7' }];
    expect((await api.interlock('run', 'retry', '7')).out).toContain('retry of    7\n');
    api.replies['POST /api/v1/runs/7/confirm'] = [200, green];
    expect((await api.interlock('run', 'confirm', '7')).code).toBe(0);
    api.replies['POST /api/v1/runs/7/cancel'] = [
      200,
      { ...green, state: 'cancelled', green: false },
    ];
    expect((await api.interlock('run', 'cancel', '7', '--reason', 'no')).code).toBe(0);
    expect((await api.interlock('run', 'cancel', '7')).code).toBe(2);
  });
});
