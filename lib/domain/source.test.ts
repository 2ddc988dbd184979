import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Invalid } from './refusal';
import { sourceBodySchema } from './source';
import { parseInput } from './zod-issues';

const BODY = {
  columns: [
    { name: 'line', type: 'text' },
    { name: 'invoiced_at', type: 'timestamptz' },
    { name: 'unit_price', type: 'numeric(14, 3)', nullable: false },
  ],
  key: ['line'],
  eventTime: 'invoiced_at',
};

const pointers = (value: unknown) => {
  try {
    parseInput(sourceBodySchema, value);
    return [];
  } catch (error) {
    return (error as Invalid).issues.map((i) => `${i.pointer} ${i.code}`);
  }
};

describe('a source', () => {
  it('is read into canonical form', () => {
    expect(parseInput(sourceBodySchema, BODY)).toEqual({
      columns: [
        { name: 'line', type: 'text', nullable: false },
        { name: 'invoiced_at', type: 'timestamptz', nullable: true },
        { name: 'unit_price', type: 'numeric(14,3)', nullable: false },
      ],
      key: ['line'],
      eventTime: 'invoiced_at',
      shards: 8,
      complete: true,
      retentionDays: null,
    });
    expect(parseInput(sourceBodySchema, { ...BODY, eventTime: null }).eventTime).toBeNull();
    const kept = (retentionDays: unknown) =>
      parseInput(sourceBodySchema, { ...BODY, retentionDays }).retentionDays;
    expect([kept(30), kept(null), kept(undefined)]).toEqual([30, null, null]);
  });

  it.each<[string, unknown, string[]]>([
    ['no body', undefined, [' REQUIRED']],
    [
      'no columns',
      { columns: [], key: ['line'] },
      ['/columns INVALID_INPUT', '/key/0 INVALID_INPUT'],
    ],
    ['no key', { ...BODY, key: [] }, ['/key INVALID_INPUT']],
    ['a key of no column', { ...BODY, key: ['gone'] }, ['/key/0 INVALID_INPUT']],
    ['a time that is a text', { ...BODY, eventTime: 'line' }, ['/eventTime INVALID_INPUT']],
    ['no shards', { ...BODY, shards: 0 }, ['/shards INVALID_INPUT']],
    ['retention of no day', { ...BODY, retentionDays: 0 }, ['/retentionDays INVALID_INPUT']],
    ['retention for ever', { ...BODY, retentionDays: 1e9 }, ['/retentionDays INVALID_INPUT']],
    ['half a shard', { ...BODY, shards: 1.5 }, ['/shards INVALID_INPUT']],
    ['a stranger', { ...BODY, name: 'x' }, ['/name UNKNOWN_FIELD']],
  ])('%s is refused at its pointer', (_, value, expected) => {
    expect(pointers(value)).toEqual(expected);
  });

  it('has a JSON schema', () => {
    expect(z.toJSONSchema(sourceBodySchema, { io: 'input' })).toMatchObject({ type: 'object' });
  });

  it('throws Invalid', () => {
    expect(() => parseInput(sourceBodySchema, {})).toThrow(Invalid);
  });
});
