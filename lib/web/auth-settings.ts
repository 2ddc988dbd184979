import { childEnv, EnvError, env } from '@/lib/env';

/** Signs and encrypts sessions. `npm start` makes one for the embedded database and keeps it. */
export function authSecret(): string {
  const secret = env().AUTH_SECRET;
  if (secret === undefined) throw new EnvError('AUTH_SECRET is not set');
  return secret;
}

/** Cookies are bound to https where people reach the console by https. */
export function secureCookies(): boolean {
  return env().AUTH_URL?.startsWith('https://') ?? false;
}

/** `next dev`, which sets this itself; it is no setting of ours. */
export function isDevelopment(): boolean {
  return childEnv({}).NODE_ENV === 'development';
}

/** One-click personas: only where the installation is a demonstration. */
export function demoPersonasOffered(): boolean {
  return env().INTERLOCK_DEMO === true;
}

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** The OpenID provider, or null where none is set. */
export function oidcSettings(): OidcSettings | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = env();
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) return null;
  return { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET };
}
