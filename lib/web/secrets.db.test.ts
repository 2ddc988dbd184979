import { sql } from 'drizzle-orm';
import { encode } from 'next-auth/jwt';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { connect, one } from '@/lib/db/client';
import { errorForLog, withoutSecrets } from '@/lib/db/error-for-log';
import { ROLES } from '@/lib/domain/permissions';
import { parseEnv } from '@/lib/env';
import { provisionToken } from '@/lib/services/people/tokens';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { action } from '@/lib/web/action';
import { endpoints } from '@/lib/web/api/registry';
import { send } from '@/lib/web/api/test-client';
import { useWebDatabase } from '@/lib/web/db';
import { readiness } from '@/lib/web/health';
import { log, useLogStream } from '@/lib/web/log';
import { problemOf } from '@/lib/web/problem';

const secret = 'the-secret-that-signs-sessions';
const password = 'hunter2-of-the-database';
vi.stubEnv('AUTH_SECRET', secret);

const asked = vi.hoisted(() => ({ session: '' }));
vi.mock('next/headers', () => ({
  headers: async () =>
    new Headers({ origin: 'http://localhost:3000', host: 'localhost:3000', cookie: asked.session }),
  cookies: async () => ({ get: () => ({ value: asked.session }) }),
}));

let t: TestDatabase;
let token: string;
/** Looks to the linter like a hook of React’s, which it is not. */
const switchTo = useWebDatabase;
/** Everything that was written or answered. */
let told = '';

beforeAll(async () => {
  t = await testDatabase();
  switchTo(t.connect('web'));
  useLogStream({
    write: (line: string) => {
      told += line;
    },
  });
  token = (await provisionToken(t.db, { person: 'all', roles: ROLES, requestId: 's' })).token;
  asked.session = await encode({ token: { name: 'all', sid: 's' }, secret });
});
afterAll(() => t.close());

const silent = (also: readonly string[] = []) => {
  for (const word of [token, secret, password, asked.session, ...also]) {
    expect(told.includes(word)).toBe(false);
  }
};

async function everyEndpoint(): Promise<number[]> {
  const statuses: number[] = [];
  for (const { method, path } of endpoints) {
    const answer = await send(method, path.replace(/\{\w+\}/g, 'x'), {
      token,
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: { reason: password } }),
    });
    statuses.push(answer.status);
    told += answer.text + JSON.stringify([...answer.headers]);
  }
  return statuses;
}

/** The URL of this test's server, with another part of it wrong. */
const wrong = (change: (url: URL) => void): string => {
  const url = new URL(t.url);
  url.password = password;
  change(url);
  return url.href;
};

describe('no secret is told', () => {
  it('where every call fails for a reason that nobody foresaw', async () => {
    const db = t.connect('web');
    const parameters = [token, password];
    const broken = {
      ...db,
      execute: () => {
        const cause = Object.assign(new Error(`cannot reach ${wrong(() => {})} with ${token}`), {
          parameters,
          args: parameters,
          input: wrong(() => {}),
        });
        throw Object.assign(new Error(`Failed query: select 1\nparams: ${parameters}`, { cause }), {
          query: `select '${token}'`,
          params: parameters,
        });
      },
    };
    switchTo(broken as never);
    expect((await everyEndpoint()).filter((status) => status === 500).length).toBeGreaterThan(40);
    switchTo(t.connect('web'));
    expect(told).toContain('"msg":"unexpected error"');
    silent();
  });

  it('where a statement fails on what a caller gave', async () => {
    const db = t.connect('web');
    const run = action('release.pause', z.unknown(), () =>
      one(db, sql`select ${token}::text, (${password}::text)::integer`),
    );
    const result = await run({});
    told += JSON.stringify(result);
    expect(result).toMatchObject({ ok: false, problem: { code: 'INTERNAL' } });
    expect(told).toContain('"code":"22P02"');
    silent();
  });

  it('where the database is another, or is not there', async () => {
    for (const url of [
      wrong((it) => {
        it.port = '1';
      }),
      wrong((it) => {
        it.pathname = '/is_not_there';
      }),
      wrong((it) => {
        it.username = 'nobody_at_all';
      }),
      wrong((it) => {
        it.hostname = 'is-not-there.invalid';
      }),
    ]) {
      const db = connect(url, { role: 'web', max: 1 });
      switchTo(db);
      const { body } = await readiness();
      told += JSON.stringify(body);
      const answer = await send('GET', '/sources', { token });
      told += answer.text;
      expect([500, 503]).toContain(answer.status);
      await db.close();
    }
    switchTo(t.connect('web'));
    expect(told).toContain('"msg":"not ready"');
    silent();
  });

  it('by settings that cannot be read', () => {
    const settings = {
      DATABASE_URL: `mysql://interlock:${password}@db/interlock`,
      AUTH_SECRET: 'short',
      AUTH_URL: `ftp://x:${password}@y`,
      OIDC_CLIENT_SECRET: password,
    };
    let message = '';
    try {
      parseEnv(settings);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('DATABASE_URL');
    expect(message).toContain('OIDC_ISSUER');
    expect(message).not.toContain(password);
    expect(message).not.toContain('short');
  });

  it('by what a caller sends as a token, a cookie or a key', async () => {
    const bad = [`Bearer ${token}x`, `Basic ${Buffer.from(password).toString('base64')}`, token];
    for (const authorization of bad) {
      const answer = await send('GET', '/sources', { headers: { authorization } });
      expect(answer.status).toBe(401);
      told += answer.text;
    }
    const answer = await send('POST', '/people/all/tokens', {
      token,
      headers: { 'idempotency-key': `${password} with a blank` },
    });
    expect(answer.status).toBe(422);
    told += answer.text;
    silent(bad);
  });

  it('by the log itself, whatever is handed to it', () => {
    log().error({
      token,
      headers: { authorization: token },
      a: { password },
      b: { c: { cookie: token } },
    });
    log().error(errorForLog(Object.assign(new Error(wrong(() => {})), { input: password })));
    silent();
  });

  it('by an error that the runner writes', () => {
    let line = '';
    const runner = pino(
      { serializers: { err: errorForLog } },
      {
        write: (text: string) => {
          line += text;
        },
      },
    );
    const cause = Object.assign(new Error(`invalid input for ${wrong(() => {})}`), {
      code: '22P02',
    });
    const err = Object.assign(new Error(`Failed query: x\nparams: ${token}`, { cause }), {
      params: [token],
    });
    runner.error({ err }, 'applying failed');
    expect(line).toContain('22P02');
    told += line;
    told += withoutSecrets(`Failed task 7 (build) with error 'Failed query: x\nparams: ${token}'`);
    silent();
  });

  it('by a problem, of an error whose message is one', () => {
    told += JSON.stringify(problemOf(new Error(`${token} ${password}`), 'r1'));
    // the log keeps the message: only what looks like a secret can be taken out of it
    expect(told).not.toContain(token);
  });
});
