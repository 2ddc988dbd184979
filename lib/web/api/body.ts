import { Invalid, TooLarge } from '@/lib/domain/refusal';

/** What one call may hold at most. */
export const maxBodyBytes = 8 * 1024 ** 2;

/**
 * The body as text, read no further than `limit` bytes, whatever its header says.
 *
 * @throws TooLarge past the limit, Invalid where it is not UTF-8
 */
export async function readText(request: Request, limit = maxBodyBytes): Promise<string> {
  const announced = Number(request.headers.get('content-length') ?? '0');
  if (announced > limit) throw tooLarge(limit);
  if (request.body === null) return '';
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge(limit);
    }
    parts.push(value);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new Invalid({ pointer: '', code: 'INVALID_INPUT', message: 'The body is not UTF-8.' });
  }
}

function tooLarge(limit: number): TooLarge {
  return new TooLarge(`A body of this call may have ${limit.toLocaleString('en-GB')} bytes.`);
}
