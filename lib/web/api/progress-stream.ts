import { setTimeout as pause } from 'node:timers/promises';
import { errorForLog } from '@/lib/db/error-for-log';
import { may } from '@/lib/domain/permissions';
import { releaseView } from '@/lib/queries/release-view';
import { authenticate } from '@/lib/web/api/authenticate';
import type { Answer, Call } from '@/lib/web/api/endpoint';
import { log } from '@/lib/web/log';

const pollMs = 1_000;
/** Proxies close what is silent for half a minute. */
const heartbeatMs = 15_000;
/** The reader's `EventSource` comes back by itself; a stream that nobody reads must not stay. */
const lifetimeMs = 15 * 60_000;

/**
 * Progress of a release as Server-Sent Events: one `progress` now, and one at each change. Who
 * loses the token or the role meanwhile gets no more.
 *
 * @throws NotFound before anything is streamed
 */
export async function progressStream(call: Call, reference: string): Promise<Answer> {
  const first = await snapshot(call, reference);
  const { signal } = call.request;
  const stop = new AbortController();
  const ended = () => signal.aborted || stop.signal.aborted;
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      send(`retry: 2000\n\n${event(first)}`);
      follow(call, reference, first, send, ended)
        .catch((error) => log().warn({ ...errorForLog(error) }, 'progress stream ended'))
        .finally(() => {
          if (!stop.signal.aborted) controller.close();
        });
    },
    cancel: () => stop.abort(),
  });
  return {
    status: 200,
    stream,
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
  };
}

async function follow(
  call: Call,
  reference: string,
  first: string,
  send: (text: string) => void,
  ended: () => boolean,
): Promise<void> {
  const until = Date.now() + lifetimeMs;
  let last = first;
  let spoken = Date.now();
  while (!ended() && Date.now() < until) {
    await pause(pollMs, undefined, { signal: call.request.signal }).catch(() => {});
    if (ended()) return;
    const actor = await authenticate(call.ctx.db, call.request);
    if (!may(actor.roles, 'release.read')) return;
    const now = await snapshot(call, reference);
    if (ended()) return;
    if (now !== last) {
      send(event(now));
      last = now;
      spoken = Date.now();
    } else if (Date.now() - spoken >= heartbeatMs) {
      send(': still here\n\n');
      spoken = Date.now();
    }
  }
}

/** What a progress line needs, as JSON text without line breaks. */
async function snapshot({ ctx }: Call, reference: string): Promise<string> {
  const { release, state, version, flags, progress, evidence, serving, rollback, barrier } =
    await releaseView(ctx.db, reference);
  return JSON.stringify({
    release,
    state,
    version,
    flags,
    progress,
    evidence: evidence?.digest ?? null,
    serving,
    barrier,
    rollback,
  });
}

const event = (data: string) => `event: progress\ndata: ${data}\n\n`;
