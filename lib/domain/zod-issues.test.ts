import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Invalid } from './refusal';
import { issuesOf, parseInput, textSchema } from './zod-issues';

const shape = z.strictObject({
  name: z.string(),
  'a/b~c': z.number().optional(),
  inner: z.strictObject({ n: z.int().min(1) }).optional(),
  either: z.union([z.string(), z.strictObject({ sql: z.string() })]).optional(),
  pin: textSchema((text) =>
    text === 'now'
      ? { ok: true, value: 'NOW' as const }
      : { ok: false, code: 'NOT_AVAILABLE', message: 'only now' },
  ).optional(),
});

function issues(value: unknown) {
  try {
    parseInput(shape, value);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(Invalid);
    return [...(error as Invalid).issues];
  }
}

describe('issues with JSON pointers', () => {
  it('says what is missing', () => {
    expect(issues({})).toEqual([
      { pointer: '/name', code: 'REQUIRED', message: 'name is required.' },
    ]);
    expect(issues(undefined)).toEqual([
      { pointer: '', code: 'REQUIRED', message: 'A body is required.' },
    ]);
    expect(issues({ name: null })[0]).toMatchObject({ pointer: '/name', code: 'INVALID_INPUT' });
  });

  it('names each unknown key at its own place, escaped', () => {
    expect(issues({ name: 'x', inner: { n: 1, 'x/~': 2 }, zzz: 1 })).toEqual([
      { pointer: '/inner/x~1~0', code: 'UNKNOWN_FIELD', message: 'There is no field "x/~" here.' },
      { pointer: '/zzz', code: 'UNKNOWN_FIELD', message: 'There is no field "zzz" here.' },
    ]);
  });

  it('points through escaped names and below a base', () => {
    expect(issues({ name: 'x', 'a/b~c': 'no' })[0]?.pointer).toBe('/a~1b~0c');
    const error = shape.safeParse({ name: 1 }).error as z.ZodError;
    expect(issuesOf(error, '/events/3')[0]?.pointer).toBe('/events/3/name');
  });

  it('reports the branch of a union that was meant', () => {
    expect(issues({ name: 'x', either: { sql: 1 } })[0]?.pointer).toBe('/either/sql');
    expect(issues({ name: 'x', either: { sql: 'a', q: 1 } })[0]?.pointer).toBe('/either/q');
    expect(issues({ name: 'x', either: 7 })[0]?.pointer).toBe('/either');
  });

  it('keeps the code of a reader', () => {
    expect(issues({ name: 'x', pin: 'later' })).toEqual([
      { pointer: '/pin', code: 'NOT_AVAILABLE', message: 'only now' },
    ]);
    expect(parseInput(shape, { name: 'x', pin: 'now' })).toEqual({ name: 'x', pin: 'NOW' });
  });
});
