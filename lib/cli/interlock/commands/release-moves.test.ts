import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeApi, release } from '@/lib/cli/interlock/fake-api';

let api: FakeApi;
beforeAll(async () => {
  api = await FakeApi.start();
});
afterAll(() => api.stop());
beforeEach(() => api.reset());

describe('moves', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  it.each([
    [['seal', '--comment', 'now'], { comment: 'now' }],
    [['pin', '--plan', digest], { planDigest: digest }],
    [['approve', '--evidence', digest, '--comment', 'read'], { evidence: digest, comment: 'read' }],
    [
      ['sign-rollback', '--evidence', digest, '--statement', 'yes'],
      { evidence: digest, statement: 'yes' },
    ],
    [['reject', '--comment', 'no'], { comment: 'no' }],
    [['activate', '--evidence', digest], { evidence: digest }],
    [
      [
        'accept',
        '--what',
        'drift',
        '--partition',
        '2011-01-04T01:00:00+01:00',
        '--class',
        'changed',
        '--count',
        '3',
      ].concat(['--digest', digest, '--reason', 'known']),
      {
        what: 'drift',
        partition: '2011-01-04T00:00:00Z',
        class: 'changed',
        count: 3,
        digest,
        reason: 'known',
      },
    ],
    [
      ['retry', '--partition', '2011-01-04T00:00:00Z', '--partition', '2011-01-05T00:00:00Z'],
      { partitions: ['2011-01-04T00:00:00Z', '2011-01-05T00:00:00Z'] },
    ],
    [['retry', '--step', 'catch-up', '--reason', 'disk'], { step: 'catch-up', reason: 'disk' }],
    [['limits', '--concurrency', '8'], { concurrency: 8 }],
    [['hold', '--comment', 'audit'], { comment: 'audit' }],
    [['call-off'], {}],
  ])('%j send %j', async ([move = '', ...options], body) => {
    api.replies[`POST /api/v1/releases/fix%401/${move}`] = [200, release];
    const { code, out } = await api.interlock('release', move, 'fix@1', ...options);
    expect([code, out]).toEqual([0, 'fix@1 BUILDING (held by ben: audit)\n']);
    expect(api.calls[0]?.body).toEqual(body);
  });

  it('name the version that was looked at', async () => {
    api.replies['POST /api/v1/releases/fix%401/pin'] = [200, release];
    await api.interlock('release', 'pin', 'fix@1', '--if-match', '7');
    expect(api.calls[0]?.headers['if-match']).toBe('"7"');
  });

  it('wait until the runner is through, and say where it is not', async () => {
    const working = { ...release, flags: { ...release.flags, working: true } };
    api.replies['POST /api/v1/releases/fix%401/build'] = [200, working];
    api.replies['GET /api/v1/releases/fix%401'] = [
      [200, working],
      [200, release],
    ];
    const through = await api.interlock('release', 'build', 'fix@1', '--wait', '--json');
    expect(through.code).toBe(0);
    expect(JSON.parse(through.out).flags.working).toBe(false);
    api.replies['GET /api/v1/releases/fix%401'] = [200, working];
    const still = await api.interlock('release', 'build', 'fix@1', '--wait', '0');
    expect(still).toMatchObject({ code: 1 });
    expect(still.said).toContain('fix@1 is still at work after 0 s');
  });
});
