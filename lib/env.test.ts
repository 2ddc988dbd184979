import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EnvError, parseEnv } from '@/lib/env';

describe('settings', () => {
  it('has a default for everything that a first start needs', () => {
    expect(parseEnv({})).toMatchObject({
      INTERLOCK_DATA: path.resolve('.interlock'),
      INTERLOCK_HOST: '127.0.0.1',
      PORT: 3000,
      RUNNER_CONCURRENCY: 4,
      LOG_LEVEL: 'info',
    });
  });

  it('treats an empty variable as unset', () => {
    expect(parseEnv({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 3000 });
  });

  it.each([
    ['PORT', 'http'],
    ['PORT', '70000'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['DATABASE_URL', 'localhost'],
    ['AUTH_SECRET', 'short'],
    ['AUTH_URL', 'ftp://host'],
    ['RUNNER_CONCURRENCY', '0'],
    ['RUNNER_CONCURRENCY', '1.5'],
    ['LOG_LEVEL', 'loud'],
    ['INTERLOCK_DEMO', 'yes please'],
    ['INTERLOCK_URL', 'console'],
  ])('names %s when it is %j', (name, value) => {
    expect(() => parseEnv({ [name]: value })).toThrow(EnvError);
    expect(() => parseEnv({ [name]: value })).toThrow(new RegExp(`^${name} must`));
  });

  it('names every wrong variable at once', () => {
    expect(() => parseEnv({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/PORT must.*\nLOG_LEVEL must/);
  });

  it('wants all of OIDC or none', () => {
    expect(() => parseEnv({ OIDC_ISSUER: 'https://id.example' })).toThrow(
      /OIDC_CLIENT_ID is required because OIDC_ISSUER is set\nOIDC_CLIENT_SECRET is required/,
    );
  });
});
