import { expect } from 'vitest';
import * as answers from '@/lib/web/api/answers';
import type { Method } from '@/lib/web/api/endpoint';
import { send, type TestAnswer } from '@/lib/web/api/test-client';

interface Given {
  body?: unknown;
  text?: string;
}

export interface Calls {
  /** Sends one call; whatever is refused is a problem with a code, and is no failure of ours. */
  call(method: Method, path: string, given?: Given): Promise<TestAnswer>;
  /** The same for a call that must be refused. */
  refused(method: Method, path: string, given?: Given): Promise<TestAnswer>;
}

/** Calls by one token, each checked for what every answer must be. For tests. */
export function callsBy(token: string): Calls {
  const call = async (method: Method, path: string, given: Given = {}) => {
    const answer = await send(method, path, { token, headers: { 'if-match': '*' }, ...given });
    const at = [method, path.slice(0, 80)];
    expect([...at, answer.status < 500]).toEqual([...at, true]);
    if (answer.status >= 400) {
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      const problem = answers.problem.parse(answer.body);
      expect(problem.status).toBe(answer.status);
      expect(problem.code).not.toBe('INTERNAL');
      expect(answer.text.length).toBeLessThan(20_000);
    }
    return answer;
  };
  return {
    call,
    refused: async (method, path, given) => {
      const answer = await call(method, path, given);
      expect([method, path.slice(0, 80), answer.status >= 400]).toEqual([
        method,
        path.slice(0, 80),
        true,
      ]);
      return answer;
    },
  };
}
