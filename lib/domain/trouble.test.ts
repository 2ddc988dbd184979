import { describe, expect, it } from 'vitest';
import { CODES } from './refusal-codes';
import { TROUBLES, troubleWords } from './trouble';

describe('the ways into RECONCILIATION_REQUIRED', () => {
  it('are told apart by step and code, and each code is one that people are told', () => {
    const names = TROUBLES.map(({ step, code }) => `${step} ${code}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { code } of TROUBLES) expect(CODES).toHaveProperty(code);
  });

  it('each say what they mean and what to do', () => {
    expect(troubleWords('replay', 'SNAPSHOT_EXPIRED')?.do).toContain('leave the new generation');
    expect(troubleWords('catch-up', 'SNAPSHOT_EXPIRED')?.do).toContain('next revision');
    expect(troubleWords('build', 'CHECK_FAILED')).toBeNull();
    expect(troubleWords(null, null)).toBeNull();
  });
});
