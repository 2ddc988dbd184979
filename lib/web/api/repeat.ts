import { sql } from 'drizzle-orm';
import { maybeOne } from '@/lib/db/client';
import { sha256 } from '@/lib/digest/canonical';
import { Invalid } from '@/lib/domain/refusal';
import { once, type StoredAnswer } from '@/lib/services/idempotency';
import { bearerOf } from '@/lib/web/api/authenticate';
import type { Answer, Call, Endpoint } from '@/lib/web/api/endpoint';
import { sealedUnder } from '@/lib/web/api/seal-answer';

/** Says on a repeated answer that it is one. */
const replayedHeader = 'idempotency-replayed';

/**
 * Runs a POST that names an `Idempotency-Key` once: repeated by the same person on the same path
 * with the same body, it gets the first answer. A refusal is never kept.
 */
export async function runOnce(
  endpoint: Endpoint,
  call: Call,
  bodyText: string,
  run: () => Promise<Answer>,
): Promise<Answer & { text: string }> {
  const key = keyOf(call.request);
  const { recover } = endpoint;
  const { answer, replayed } = await once(
    call.ctx,
    {
      route: `${endpoint.method} ${new URL(call.request.url).pathname}`,
      key,
      bodyDigest: sha256(bodyText),
      ...(endpoint.secret ? { seal: sealedUnder(bearerOf(call.request), key) } : {}),
      ...(recover
        ? {
            recover: async (requestId: string) => {
              const subject = await subjectDone(call, endpoint.permission, requestId);
              return subject === null ? null : stored(await recover(call, subject));
            },
          }
        : {}),
    },
    async () => stored(await run()),
  );
  const headers = { ...answer.headers, ...(replayed ? { [replayedHeader]: 'true' } : {}) };
  return { status: answer.status, headers, text: answer.body };
}

function keyOf(request: Request): string {
  const key = request.headers.get('idempotency-key') ?? '';
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Invalid({
    pointer: '',
    code: 'INVALID_INPUT',
    message: 'An Idempotency-Key has 1 to 255 visible ASCII characters.',
  });
}

function stored({ status, body, headers = {} }: Answer): StoredAnswer {
  return { status, body: body === undefined ? '' : JSON.stringify(body), headers };
}

/** What a dead try did, if it did it: its audit row was written in the transaction of the move. */
async function subjectDone({ ctx }: Call, verb: string, requestId: string): Promise<string | null> {
  const found = await maybeOne<{ subject: string }>(
    ctx.db,
    sql`select subject from control.audit_event
      where request_id = ${requestId} and outcome = 'done' and actor = ${ctx.actor.person}
        and verb = ${verb}
      order by id limit 1`,
  );
  return found?.subject ?? null;
}
