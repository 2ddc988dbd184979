import { describe, expect, it } from 'vitest';
import { differences, type Json, mergePatch, pointerOf, quoted, sortedText } from './json';

describe('pointers and quotes', () => {
  it('escape', () => {
    expect(pointerOf([])).toBe('');
    expect(pointerOf(['a/b', 0, 'c~d'])).toBe('/a~1b/0/c~0d');
    expect(quoted('a\n"b"')).toBe('"a\\n\\"b\\""');
    expect(quoted('😀'.repeat(100))).toBe(`"${'😀'.repeat(60)}…"`);
    expect(quoted(undefined)).toBe('"undefined"');
    expect(quoted({ a: 1 })).toBe('"{\\"a\\":1}"');
  });
});

describe('a merge patch', () => {
  it.each<[Json, Json, Json]>([
    [{ a: 1, b: { c: 2, d: 3 } }, { b: { c: 4 } }, { a: 1, b: { c: 4, d: 3 } }],
    [{ a: 1, b: 2 }, { a: null }, { b: 2 }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: 'x' }, { b: { c: null } }, { a: 'x', b: {} }],
    [1, { a: 1 }, { a: 1 }],
    [{ a: 1 }, [1], [1]],
  ])('of %j by %j is %j', (target, patch, merged) => {
    expect(mergePatch(target, patch)).toEqual(merged);
  });

  it('keeps __proto__ a member', () => {
    const patch = JSON.parse('{"__proto__":{"x":1}}');
    expect(JSON.stringify(mergePatch({}, patch))).toBe('{"__proto__":{"x":1}}');
  });
});

describe('differences', () => {
  it('are members, not spellings', () => {
    expect(differences({ a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 })).toEqual([]);
    expect(
      differences({ a: 1, b: { c: 2 }, l: [1] }, { a: 1, b: { c: 3 }, l: [1, 2], n: 0 }),
    ).toEqual([
      { pointer: '/b/c', before: 2, after: 3 },
      { pointer: '/l', before: [1], after: [1, 2] },
      { pointer: '/n', before: undefined, after: 0 },
    ]);
    expect(differences({ t: 'x' }, { t: { sql: 'x' } })).toHaveLength(1);
    expect(sortedText({ b: 1, a: { d: 1, c: 2 } })).toBe('{"a":{"c":2,"d":1},"b":1}');
  });
});
