import { sha256 } from '@/lib/digest/canonical';
import { sortedText } from '@/lib/domain/json';
import type { Ctx } from '@/lib/services/context';
import { once, type StoredAnswer } from '@/lib/services/idempotency';

/** What a try is of: all tries of one opening of a dialog have one `key`. */
export interface Tried {
  /** What is done, as the scope of the key. */
  route: string;
  key: string;
  input: Record<string, unknown>;
  /** The answer of a first try that died after its commit, by the request id in its audit row. */
  recover: (requestId: string) => Promise<string | null>;
}

/**
 * Runs what answers with one text once for a person's try: a second try after a lost answer gets
 * the first one's, and nothing is done twice. What throws may be tried again.
 */
export async function onceOnly(
  ctx: Ctx,
  { route, key, input, recover }: Tried,
  make: () => Promise<string>,
): Promise<string> {
  const answerOf = (body: string): StoredAnswer => ({ status: 200, body, headers: {} });
  const { answer } = await once(
    ctx,
    {
      route,
      key,
      bodyDigest: sha256(sortedText(input)),
      recover: async (requestId) => {
        const found = await recover(requestId);
        return found === null ? null : answerOf(found);
      },
    },
    async () => answerOf(await make()),
  );
  return answer.body;
}
