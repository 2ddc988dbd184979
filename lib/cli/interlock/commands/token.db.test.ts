import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childEnv } from '@/lib/env';
import { authenticateToken } from '@/lib/services/people';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
let t: TestDatabase;
beforeAll(async () => {
  t = await testDatabase();
});
afterAll(() => t.close());

const interlock = (env: Record<string, string | undefined>, ...args: string[]) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', 'lib/cli/interlock/main.ts', ...args], {
    cwd: root,
    env: childEnv({ INTERLOCK_TOKEN: undefined, ...env }),
  });
const create = (...args: string[]) =>
  interlock({ DATABASE_URL: t.url }, 'token', 'create', ...args);

describe('token create', () => {
  it('makes the person if new, and a token that stands', async () => {
    const { stdout } = await create(
      '--person',
      'gus',
      '--role',
      'auditor',
      '--role',
      'on-call',
      '--json',
    );
    const made = JSON.parse(stdout);
    expect(made).toMatchObject({ person: 'gus', roles: ['auditor', 'oncall'] });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(await authenticateToken(t.db, made.token)).toMatchObject({
      person: 'gus',
      roles: ['auditor', 'oncall'],
    });
  });

  it('gives a person that is there the roles that it lacks, and prints the token alone', async () => {
    const { stdout, stderr } = await create('--person', 'gus', '--role', 'owner');
    expect(stdout).toMatch(/^ilk_[\w-]{43}\n$/);
    expect(stderr).toContain('shown once');
    expect(await authenticateToken(t.db, stdout.trim())).toMatchObject({ roles: ['owner'] });
  });

  it('refuses a name of the system, and says where there is no database', async () => {
    await expect(create('--person', 'runner', '--role', 'admin')).rejects.toMatchObject({
      code: 2,
    });
    const nowhere = { DATABASE_URL: undefined, INTERLOCK_DATA: '/nonexistent/interlock' };
    const nobody = interlock(nowhere, 'token', 'create', '--person', 'gus', '--role', 'owner');
    await expect(nobody).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('DATABASE_URL is not set'),
    });
  });
});
