import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentOf, type EventRead, keyOf, MOST_EVENTS, parseEvents, readEvent } from './event';
import { Invalid, TooLarge } from './refusal';
import { sourceBodySchema } from './source';

const ORDERS = sourceBodySchema.parse({
  columns: [
    { name: 'id', type: 'bigint' },
    { name: 'at', type: 'timestamptz' },
    { name: 'price', type: 'numeric(12,3)', nullable: false },
    { name: 'note', type: 'text' },
  ],
  key: ['id'],
  eventTime: 'at',
});
const LINES = sourceBodySchema.parse({
  columns: [
    { name: 'invoice', type: 'text' },
    { name: 'position', type: 'integer' },
    { name: 'price', type: 'numeric' },
  ],
  key: ['invoice', 'position'],
});

const EVENT = {
  eventId: 'e1',
  revision: 1,
  op: 'upsert',
  payload: { id: 7, at: '2011-06-01T00:00:00+01:00', price: 1.5 },
};

const issues = (read: EventRead) =>
  read.ok ? [] : read.issues.map((i) => `${i.pointer} ${i.code}`);

describe('an event', () => {
  it('is read into canonical form', () => {
    expect(readEvent(ORDERS, EVENT)).toEqual({
      ok: true,
      event: {
        eventId: 'e1',
        key: '7',
        revision: 1,
        op: 'upsert',
        eventTime: '2011-05-31T23:00:00Z',
        payload: { id: '7', at: '2011-05-31T23:00:00Z', price: '1.500', note: null },
      },
    });
  });

  it('takes key and time from their fields too', () => {
    const read = readEvent(ORDERS, {
      ...EVENT,
      key: '7',
      eventTime: '2011-05-31T23:00:00Z',
      payload: { price: '1.5' },
    });
    expect(read).toMatchObject({
      event: { key: '7', payload: { id: '7', at: '2011-05-31T23:00:00Z' } },
    });
  });

  it('with several key columns has a JSON array of texts', () => {
    const expected = { key: '["A1","3"]' };
    const event = { ...EVENT, payload: { invoice: 'A1', position: 3, price: 1 } };
    expect(readEvent(LINES, event)).toMatchObject({ event: expected });
    for (const key of ['["A1", "3"]', '["A1",3]', ['A1', 3], ['A1', '3']]) {
      expect(readEvent(LINES, { ...event, key })).toMatchObject({ event: expected });
    }
    for (const key of ['A1', '["A1"]', ['A1'], '["A1","3","x"]', '{"a":1}']) {
      expect(issues(readEvent(LINES, { ...event, key }))).toEqual(['/key INVALID_INPUT']);
    }
    expect(keyOf(['a"b', 'c,d'])).toBe('["a\\"b","c,d"]');
  });

  it('that deletes needs no payload, and keeps none', () => {
    expect(readEvent(ORDERS, { eventId: 'd', revision: 2, op: 'delete', key: '7' })).toEqual({
      ok: true,
      event: { eventId: 'd', key: '7', revision: 2, op: 'delete', eventTime: null, payload: null },
    });
    expect(
      readEvent(ORDERS, { eventId: 'd', revision: 2, op: 'delete', payload: { id: '7' } }),
    ).toMatchObject({ event: { key: '7', payload: null } });
  });

  it.each<[string, object, string[]]>([
    ['disagreeing key', { key: '8' }, ['/key KEY_DISAGREES']],
    ['disagreeing time', { eventTime: '2011-06-01T00:00:00Z' }, ['/eventTime TIME_DISAGREES']],
    ['naive time', { eventTime: '2011-06-01T00:00:00' }, ['/eventTime AMBIGUOUS_TIME']],
    [
      'naive time in the payload',
      { payload: { ...EVENT.payload, at: '2011-06-01' } },
      ['/payload/at AMBIGUOUS_TIME'],
    ],
    ['no key anywhere', { payload: { price: 1 } }, ['/key REQUIRED']],
    ['a NULL key', { payload: { id: null, price: 1 } }, ['/key REQUIRED']],
    ['revision 0', { revision: 0 }, ['/revision INVALID_INPUT']],
    ['revision 1.5', { revision: 1.5 }, ['/revision INVALID_INPUT']],
    ['a revision beyond 2^53', { revision: 2 ** 53 }, ['/revision INVALID_INPUT']],
    ['no revision', { revision: undefined }, ['/revision REQUIRED']],
    ['an unknown op', { op: 'insert' }, ['/op INVALID_INPUT']],
    ['no payload', { payload: undefined, key: '7' }, ['/payload REQUIRED']],
    ['a NULL where none may be', { payload: { id: 7 } }, ['/payload/price REQUIRED']],
    [
      'an unknown column',
      { payload: { ...EVENT.payload, 'x/y': 1 } },
      ['/payload/x~1y UNKNOWN_FIELD'],
    ],
    ['an unknown field', { source: 'orders' }, ['/source UNKNOWN_FIELD']],
    [
      'a bad value',
      { payload: { ...EVENT.payload, price: '1.0005' } },
      ['/payload/price INVALID_INPUT'],
    ],
    ['a bad key value', { payload: { id: 'x', price: 1 } }, ['/payload/id INVALID_INPUT']],
    [
      'a number beyond 2^53',
      { payload: { ...EVENT.payload, id: 2 ** 60 } },
      ['/payload/id INVALID_INPUT'],
    ],
    ['a long key', { key: 'x'.repeat(2000) }, ['/key INVALID_INPUT']],
    ['an event id with a NUL', { eventId: 'a\0' }, ['/eventId INVALID_INPUT']],
    ['no event id', { eventId: '' }, ['/eventId INVALID_INPUT']],
  ])('with %s is refused at its pointer', (_, change, expected) => {
    expect(issues(readEvent(ORDERS, { ...EVENT, ...change }))).toEqual(expected);
  });

  it('that is no object is refused', () => {
    for (const raw of [null, 7, 'x', [EVENT]]) {
      expect(issues(readEvent(ORDERS, raw, '/events/0'))).toEqual(['/events/0 INVALID_INPUT']);
    }
  });

  it('sees a key __proto__ as an unknown column', () => {
    const raw = JSON.parse(
      '{"eventId":"e","revision":1,"op":"upsert","payload":{"id":1,"price":1,"__proto__":{"a":1}}}',
    );
    expect(issues(readEvent(ORDERS, raw))).toEqual(['/payload/__proto__ UNKNOWN_FIELD']);
  });

  it('has a bounded key, in bytes', () => {
    const long = { invoice: 'é'.repeat(600), position: 1, price: 1 };
    expect(issues(readEvent(LINES, { ...EVENT, payload: long }))).toEqual(['/key INVALID_INPUT']);
  });
});

describe('content', () => {
  const content = (event: object) => {
    const read = readEvent(ORDERS, event);
    return read.ok ? contentOf(read.event) : read.issues;
  };

  it('is equal for every spelling of the same fact', () => {
    const number = content(EVENT);
    const text = content({
      ...EVENT,
      eventId: 'other',
      revision: '1',
      key: '007',
      payload: { note: null, price: '1.50', at: '2011-05-31T23:00:00.000Z', id: '+7' },
    });
    expect(text).toEqual(number);
  });

  it('differs where anything but the event id does', () => {
    const base = JSON.stringify(content(EVENT));
    for (const change of [
      { revision: 2 },
      { op: 'delete' },
      { payload: { ...EVENT.payload, note: '' } },
      { payload: { ...EVENT.payload, price: '1.501' } },
      { payload: { ...EVENT.payload, at: '2011-06-01T00:00:00.000001+01:00' } },
    ]) {
      expect(JSON.stringify(content({ ...EVENT, ...change }))).not.toBe(base);
    }
  });

  it('keeps any numeric spelling of one number one', () => {
    fc.assert(
      fc.property(fc.integer({ min: -999_999_999, max: 999_999_999 }), (thousandths) => {
        const text = `${thousandths < 0 ? '-' : ''}${Math.trunc(Math.abs(thousandths) / 1000)}.${String(Math.abs(thousandths) % 1000).padStart(3, '0')}`;
        const one = content({ ...EVENT, payload: { ...EVENT.payload, price: thousandths / 1000 } });
        const two = content({ ...EVENT, payload: { ...EVENT.payload, price: text } });
        expect(one).toEqual(two);
      }),
    );
  });
});

describe('a batch', () => {
  it('is all or nothing, and names index and field', () => {
    expect(parseEvents(ORDERS, { events: [EVENT] })).toHaveLength(1);
    expect(parseEvents(ORDERS, { events: [] })).toEqual([]);
    try {
      parseEvents(ORDERS, { events: [EVENT, { ...EVENT, revision: 0 }, { ...EVENT, op: 'x' }] });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(Invalid);
      expect((error as Invalid).issues.map((i) => i.pointer)).toEqual([
        '/events/1/revision',
        '/events/2/op',
      ]);
    }
  });

  it('is bounded', () => {
    const events = Array.from({ length: MOST_EVENTS + 1 }, () => EVENT);
    expect(() => parseEvents(ORDERS, { events })).toThrow(TooLarge);
    try {
      parseEvents(ORDERS, { events: Array.from({ length: 500 }, () => ({})) });
      expect.unreachable();
    } catch (error) {
      expect((error as Invalid).issues).toHaveLength(100);
    }
  });

  it('is an object with a list', () => {
    expect(() => parseEvents(ORDERS, [EVENT])).toThrow(Invalid);
    expect(() => parseEvents(ORDERS, { event: [EVENT] })).toThrow(Invalid);
  });
});
