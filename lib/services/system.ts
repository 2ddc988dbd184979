import { randomUUID } from 'node:crypto';
import type { Actor } from './context';

/** The background process as an actor: it holds no role, and calls no verb that needs one. */
export const runnerActor: Actor = { person: 'runner', roles: [], via: 'runner', session: null };

export const runnerContext = () => ({ actor: runnerActor, requestId: `runner-${randomUUID()}` });
