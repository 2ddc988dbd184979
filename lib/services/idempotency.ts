import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { affected, type Database, json, maybeOne } from '@/lib/db/client';
import { digestOf } from '@/lib/digest/canonical';
import { LostRace } from '@/lib/domain/refusal';
import type { Ctx } from '@/lib/services/context';

/** An answer as it left through the door the first time, byte for byte. */
export interface StoredAnswer {
  status: number;
  body: string;
  headers: Record<string, string>;
}

export interface IdempotentCall {
  /** Method and concrete path. */
  route: string;
  /** What the caller gave as `Idempotency-Key`. */
  key: string;
  /** Digest of the body's bytes. */
  bodyDigest: string;
  /**
   * The answer of a first try that died between its commit and its answer, found by the request id
   * that its audit rows carry; null where that try changed nothing.
   */
  recover?: (requestId: string) => Promise<StoredAnswer | null>;
  /** For answers that hold a secret: how they are kept. */
  seal?: { close: (body: string) => string; open: (body: string) => string };
}

interface Claim {
  status: number | null;
  /** `tries`: request ids, the last one's try is the one that runs. */
  answer: { tries: string[]; body?: string; headers?: Record<string, string> };
  stale: boolean;
}

const patienceMs = 10_000;
const pauseMs = 40;
/** A running call says so this often, and counts as dead when it has not for `staleAfter`. */
const beatMs = 20_000;
const staleAfter = '120 seconds';

/**
 * Runs `run` once for a (person, route, key, body): asked again, the first answer is given again.
 * While the first is still running the second waits for it, then loses with 409. What throws is
 * never kept, so a refused move may be tried again with the same key.
 *
 * Keys are scoped: another person, another route or another body makes another call of it.
 *
 * @throws LostRace where the first call with this key does not end in time
 */
export async function once(
  ctx: Ctx,
  call: IdempotentCall,
  run: () => Promise<StoredAnswer>,
): Promise<{ answer: StoredAnswer; replayed: boolean }> {
  const { key, bodyDigest } = call;
  const scope = {
    person: ctx.actor.person,
    route: call.route,
    key: digestOf('interlock.idempotency.v1', { key, bodyDigest }),
    bodyDigest,
  };
  await forgetOld(ctx.db);
  const deadline = Date.now() + patienceMs;
  while (!(await claim(ctx, scope))) {
    const found = await look(ctx.db, scope);
    if (found?.status != null) return { answer: opened(found, call), replayed: true };
    if (found?.stale && (await takeOver(ctx, scope, found.answer.tries))) {
      for (const dead of found.answer.tries) {
        const recovered = await call.recover?.(dead);
        if (!recovered) continue;
        await keep(ctx, scope, recovered, call);
        return { answer: recovered, replayed: true };
      }
      break;
    }
    if (Date.now() > deadline) {
      throw new LostRace('The first request with this Idempotency-Key is still running.');
    }
    await wait(pauseMs);
  }
  const beat = setInterval(() => {
    touch(ctx, scope).catch(() => {});
  }, beatMs).unref();
  try {
    const answer = await run();
    await keep(ctx, scope, answer, call);
    return { answer, replayed: false };
  } catch (error) {
    await release(ctx, scope);
    throw error;
  } finally {
    clearInterval(beat);
  }
}

interface Scope {
  person: string;
  route: string;
  key: string;
  bodyDigest: string;
}

const isScope = (s: Scope) => sql`person = ${s.person} and route = ${s.route} and key = ${s.key}`;
const isMine = (ctx: Ctx, s: Scope) =>
  sql`${isScope(s)} and status is null and answer -> 'tries' ->> -1 = ${ctx.requestId}`;

async function claim(ctx: Ctx, s: Scope): Promise<boolean> {
  const made = await affected(
    ctx.db,
    sql`insert into control.idempotency (person, route, key, body_digest, answer)
      values (${s.person}, ${s.route}, ${s.key}, ${s.bodyDigest},
        ${json({ tries: [ctx.requestId] })})
      on conflict do nothing`,
  );
  return made === 1;
}

function look(db: Database, s: Scope): Promise<Claim | null> {
  return maybeOne<Claim>(
    db,
    sql`select status, answer,
        created_at < clock_timestamp() - ${staleAfter}::interval as stale
      from control.idempotency where ${isScope(s)}`,
  );
}

/** Of several that find a dead first try, one wins. */
async function takeOver(ctx: Ctx, s: Scope, dead: string[]): Promise<boolean> {
  const taken = await affected(
    ctx.db,
    sql`update control.idempotency
      set answer = ${json({ tries: [...dead, ctx.requestId] })}, created_at = clock_timestamp()
      where ${isScope(s)} and status is null and answer -> 'tries' = ${json(dead)}`,
  );
  return taken === 1;
}

async function touch(ctx: Ctx, s: Scope): Promise<void> {
  await affected(
    ctx.db,
    sql`update control.idempotency set created_at = clock_timestamp() where ${isMine(ctx, s)}`,
  );
}

async function keep(
  ctx: Ctx,
  s: Scope,
  { status, body, headers }: StoredAnswer,
  call: IdempotentCall,
): Promise<void> {
  const kept = call.seal ? call.seal.close(body) : body;
  await affected(
    ctx.db,
    sql`update control.idempotency
      set status = ${status}, answer = ${json({ tries: [ctx.requestId], body: kept, headers })}
      where ${isMine(ctx, s)}`,
  );
}

async function release(ctx: Ctx, s: Scope): Promise<void> {
  await affected(ctx.db, sql`delete from control.idempotency where ${isMine(ctx, s)}`);
}

function opened({ status, answer }: Claim, call: IdempotentCall): StoredAnswer {
  const body = answer.body ?? '';
  return {
    status: status ?? 200,
    body: call.seal ? call.seal.open(body) : body,
    headers: answer.headers ?? {},
  };
}

let forgottenAt = 0;

/** Answers are kept for a week: at most once an hour each process takes older ones away. */
async function forgetOld(db: Database): Promise<void> {
  if (Date.now() - forgottenAt < 3_600_000) return;
  forgottenAt = Date.now();
  await affected(
    db,
    sql`delete from control.idempotency where created_at < clock_timestamp() - interval '7 days'`,
  );
}
