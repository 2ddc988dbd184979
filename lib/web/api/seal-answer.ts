import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { sha256Bytes, tagBytes } from '@/lib/digest/canonical';

/**
 * Keeps an answer that holds a secret readable for its caller only: encrypted under the bearer
 * token that asked and the key it named, neither of which is stored.
 */
export function sealedUnder(bearer: string, key: string) {
  const secret = sha256Bytes(tagBytes('interlock.answer.v1'), bearer, '\0', key);
  return {
    close(body: string): string {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce);
      const closed = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), closed]).toString('base64url');
    },
    /** Another token of the same person cannot open it; the answer then has no body. */
    open(text: string): string {
      const bytes = Buffer.from(text, 'base64url');
      try {
        const cipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, 12));
        cipher.setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8');
      } catch {
        return '';
      }
    },
  };
}
