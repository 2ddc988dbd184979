import { randomUUID } from 'node:crypto';
import type { NextAuthOptions } from 'next-auth';
import CredentialsProvider from 'next-auth/providers/credentials';
import type { OAuthConfig } from 'next-auth/providers/oauth';
import { errorForLog } from '@/lib/db/error-for-log';
import { ensurePersona, isPersona, personOfIdentity } from '@/lib/services/people';
import type { Identity } from '@/lib/services/people/identity';
import {
  authSecret,
  demoPersonasOffered,
  type OidcSettings,
  oidcSettings,
  secureCookies,
} from '@/lib/web/auth-settings';
import { webDatabase } from '@/lib/web/db';
import { log } from '@/lib/web/log';
import { safePath } from '@/lib/web/safe-path';
import { sessionSeconds } from '@/lib/web/session-cookie';

/** Sign-in as it is set for this installation; read at each request, so tests may change it. */
export function authOptions(): NextAuthOptions {
  const oidc = oidcSettings();
  return {
    providers: [...(demoPersonasOffered() ? [demo()] : []), ...(oidc ? [openIdConnect(oidc)] : [])],
    secret: authSecret(),
    useSecureCookies: secureCookies(),
    session: { strategy: 'jwt', maxAge: sessionSeconds },
    pages: { signIn: '/sign-in', error: '/sign-in' },
    callbacks: {
      /** The session says who it is and nothing else: roles are read at each decision. */
      jwt: ({ token, user }) =>
        user ? { name: user.name, sid: randomUUID() } : { name: token.name, sid: token.sid },
      session: ({ session, token }) => ({ ...session, user: { name: token.name } }),
      /** A path of ours, and never another site's. */
      redirect: ({ url, baseUrl }) => safePath(url, baseUrl),
    },
    logger: {
      error: (code, metadata) => log().error({ code, ...causeOf(metadata) }, 'sign-in failed'),
      warn: (code) => log().debug({ code }, 'sign-in'),
      debug: () => {},
    },
  };
}

function causeOf(metadata: unknown): Record<string, unknown> {
  if (metadata instanceof Error) return errorForLog(metadata);
  const inner = (metadata as { error?: unknown } | null)?.error;
  return inner instanceof Error ? errorForLog(inner) : {};
}

function demo() {
  return CredentialsProvider({
    id: 'demo',
    name: 'Demo',
    credentials: { persona: { type: 'text' } },
    authorize: async (credentials) => {
      const persona = credentials?.persona ?? '';
      if (!demoPersonasOffered() || !isPersona(persona)) return null;
      await ensurePersona(webDatabase(), persona);
      return { id: persona, name: persona };
    },
  });
}

interface Claims {
  sub: string;
  email?: string;
  email_verified?: boolean | string;
  name?: string;
  preferred_username?: string;
}

function openIdConnect({ issuer, clientId, clientSecret }: OidcSettings): OAuthConfig<Claims> {
  return {
    id: 'oidc',
    name: 'Single sign-on',
    type: 'oauth',
    wellKnown: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    authorization: { params: { scope: 'openid email profile' } },
    idToken: true,
    checks: ['pkce', 'state', 'nonce'],
    clientId,
    clientSecret,
    profile: async (claims) => {
      const person = await personOfIdentity(webDatabase(), identityOf(claims));
      return { id: person, name: person };
    },
  };
}

function identityOf({ sub, email, email_verified, name, preferred_username }: Claims): Identity {
  const verified = email_verified === true || email_verified === 'true';
  return {
    subject: sub,
    // an address that the provider does not vouch for may be anybody's
    email: verified && email !== undefined ? email.toLowerCase() : null,
    displayName: name ?? preferred_username ?? email ?? sub,
  };
}
