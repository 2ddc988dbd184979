import { randomBytes } from 'node:crypto';
import { sha256 } from '@/lib/digest/canonical';

/** Tokens begin with this, so that a leaked one is recognised, by people and by secret scanners. */
export const tokenPrefix = 'ilk_';

const written = /^ilk_[A-Za-z0-9_-]{43}$/;

/** A new token: 256 random bits after the prefix. */
export function newToken(): string {
  return tokenPrefix + randomBytes(32).toString('base64url');
}

/** What is stored of a token. A plain digest is enough: nobody guesses 256 bits. */
export function tokenHash(token: string): string {
  return sha256(token);
}

/** True where a text has the form of our tokens; anything else is not even looked up. */
export function looksLikeToken(text: string): boolean {
  return written.test(text);
}
