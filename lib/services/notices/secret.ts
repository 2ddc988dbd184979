import { createHmac, randomBytes } from 'node:crypto';

/** Secrets begin with this, so that a leaked one is recognised, by people and by secret scanners. */
const secretPrefix = 'ils_';

/** A new secret: 256 random bits after the prefix. */
export const newSecret = (): string => secretPrefix + randomBytes(32).toString('base64url');

/**
 * The header by which a receiver knows that a notice is ours, and when it was sent: HMAC-SHA-256
 * over `<seconds>.<body>` under the whole secret, prefix included, in hexadecimal.
 *
 * @param seconds Unix time
 */
export function signatureOf(secret: string, seconds: number, body: string): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`, 'utf8').digest('hex');
  return `t=${seconds},v1=${mac}`;
}
