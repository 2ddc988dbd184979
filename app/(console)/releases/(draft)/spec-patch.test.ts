import { describe, expect, it } from 'vitest';
import { mergePatch } from '@/lib/domain/json';
import { patchTo } from './spec-patch';

describe('patchTo', () => {
  it('makes the later spec out of the earlier one', () => {
    const before = {
      release: 'a@1',
      owner: 'ana',
      transform: { new: { sql: 'x', commit: 'abcd' }, commit: 'abcd' },
      expected: { rows: { min: 1, max: 2 }, partitions: 3 },
      expectedDiff: [{ rule: 'one' }],
    };
    const after = {
      release: 'a@1',
      transform: { new: { sql: 'y' } },
      expected: { rows: {} },
      expectedDiff: [],
    };
    expect(mergePatch(before, patchTo(before, after))).toEqual(after);
  });

  it('keeps what the form has no place for', () => {
    const before = {
      writeMode: 'REPLACE_RANGE',
      source: { name: 'orders', snapshot: 'orders:snapshot-1' },
      transform: { old: 'sha256:1', new: 'sha256:2', lock: 'sha256:3' },
      expected: { root: 'sha256:4', partitions: 3 },
    };
    const after = { source: { name: 'orders' }, transform: { new: { sql: 'y' } }, expected: {} };
    expect(mergePatch(before, patchTo(before, after))).toEqual({
      writeMode: 'REPLACE_RANGE',
      source: { name: 'orders', snapshot: 'orders:snapshot-1' },
      transform: { old: 'sha256:1', new: { sql: 'y' }, lock: 'sha256:3' },
      expected: { root: 'sha256:4' },
    });
  });

  it('replaces a digest by a text, and a text by a digest', () => {
    const digest = { transform: { new: 'sha256:1' } };
    const text = { transform: { new: { sql: 'select' } } };
    expect(mergePatch(digest, patchTo(digest, text))).toEqual(text);
    expect(mergePatch(text, patchTo(text, digest))).toEqual(digest);
  });
});
