import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { problem } from '@/lib/cli/import/fake-log';
import { heading, ImportFixture, rows } from '@/lib/cli/import/import-fixture';

let fixture: ImportFixture;
afterEach(() => fixture.stop());

describe('an import', () => {
  it('brings every line of every file in, packed or not, in batches', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('b.csv', heading + rows(5, 9));
    await fixture.put('a.csv', gzipSync(heading + rows(0, 5)));
    await fixture.put('c.jsonl', '{"id":"j","amount":12345678.25}\n\n{"id":"i","amount":"1"}\n');
    const { summary, said } = await fixture.run();
    expect(said).toEqual([]);
    expect(summary).toEqual({
      files: 3,
      unreadable: 0,
      lines: 11,
      skipped: 0,
      accepted: 11,
      duplicates: 0,
      stale: 0,
      bad: 0,
    });
    expect(fixture.log.batches).toEqual([3, 3, 3, 2]);
    expect([...fixture.log.events.keys()].slice(0, 2)).toEqual(['k0@1', 'k1@1']);
    expect(fixture.log.events.get('k8@1')?.payload).toEqual({
      id: 'k8',
      amount: '8.50',
      note: 'x',
    });
    expect(fixture.log.events.get('j@1')?.payload).toEqual({
      id: 'j',
      amount: '12345678.25',
      note: null,
    });
  });

  it('reports each bad line with file and line, and sends the others', async () => {
    fixture = await ImportFixture.start();
    const text = `${heading}k0,1,x\nk1,one,x\n"k2",2,"two\nlines"\nk3,3\nk4,4,\xff\n"k5,5,x\nk6,6,x\n`;
    await fixture.put('a.csv', Buffer.from(text, 'latin1'));
    const rejects = path.join(fixture.folder, 'rejects.jsonl');
    const { summary, said } = await fixture.run({ rejects });
    expect(said).toEqual([
      'a.csv:3: amount: "one" is not a decimal number (INVALID_INPUT)',
      'a.csv:6: it has 2 fields, the header has 3 (INVALID_INPUT)',
      'a.csv:7: it is not UTF-8; if that is right, the mapping can name the encoding (INVALID_INPUT)',
      'a.csv:8: a quote is opened here and never closed (INVALID_INPUT)',
    ]);
    expect(summary).toMatchObject({ lines: 7, accepted: 3, bad: 4 });
    expect([...fixture.log.events.keys()]).toEqual(['k0@1', 'k2@1', 'k6@1']);
    const kept = (await readFile(rejects, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(kept).toHaveLength(4);
    expect(kept[0]).toMatchObject({ line: 3, record: 2, raw: 'k1,one,x', code: 'INVALID_INPUT' });
  });

  it('reads another encoding where the mapping names it', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', Buffer.from(`${heading}k0,1,\xa3\n`, 'latin1'));
    expect((await fixture.run({ map: 'encoding: latin1' })).summary).toMatchObject({
      accepted: 1,
      bad: 0,
    });
    expect(fixture.log.events.get('k0@1')?.payload?.note).toBe('£');
  });

  it('counts positions over bad lines, so that a repaired line changes no other key', async () => {
    fixture = await ImportFixture.start();
    const map = 'key: [id, $line]';
    await fixture.put('a.csv', `${heading}k0,1,x\nk1,one,x\nk2,2,x\n`);
    await fixture.run({ map });
    expect([...fixture.log.events.keys()]).toEqual(['k0:1@1', 'k2:3@1']);
    await fixture.put('a.csv', `${heading}k0,1,x\nk1,1,x\nk2,2,x\n`);
    const { summary } = await fixture.run({ map });
    expect(summary).toMatchObject({ accepted: 1, duplicates: 2, bad: 0 });
    expect([...fixture.log.events.keys()].sort()).toEqual(['k0:1@1', 'k1:2@1', 'k2:3@1']);
  });

  it('takes lines that the API refuses out of their batch, and sends the rest of it', async () => {
    fixture = await ImportFixture.start((events) => {
      const refused = events.findIndex(({ eventId }) => /^k[27]@/.test(eventId));
      if (refused < 0) return null;
      const issue = {
        pointer: `/events/${refused}/payload/note`,
        code: 'INVALID_INPUT',
        message: 'No.',
      };
      return problem(422, 'INVALID_INPUT', { issues: [issue] });
    });
    await fixture.put('a.csv', heading + rows(0, 9));
    const { summary, said } = await fixture.run({ batchSize: 9 });
    expect(said).toEqual([
      'a.csv:9: payload.note: No (INVALID_INPUT)',
      'a.csv:4: payload.note: No (INVALID_INPUT)',
    ]);
    expect(summary).toMatchObject({ accepted: 7, bad: 2 });
  });

  it('halves a batch whose refusal names no event, down to the line', async () => {
    fixture = await ImportFixture.start((events) =>
      events.some(({ eventId }) => eventId === 'k5@1') ? problem(422, 'INVALID_INPUT') : null,
    );
    await fixture.put('a.csv', heading + rows(0, 8));
    const { summary, said } = await fixture.run({ batchSize: 8 });
    expect(said).toEqual(['a.csv:7: INVALID_INPUT it is (INVALID_INPUT)']);
    expect(summary).toMatchObject({ accepted: 7, bad: 1 });
  });

  it('gives up where the API refuses every event for a reason of its own', async () => {
    fixture = await ImportFixture.start(() => problem(422, 'INVALID_INPUT'));
    await fixture.put('a.csv', heading + rows(0, 100));
    await expect(fixture.run({ batchSize: 100 })).rejects.toThrow(/INVALID_INPUT it is/);
    expect(fixture.log.events.size).toBe(0);
  });

  it('reports what contradicts the log, by line', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', heading + rows(0, 6));
    await fixture.run();
    await fixture.put('a.csv', heading + rows(0, 6).replace('k4,4.50', 'k4,4.75'));
    const { summary, said } = await fixture.run();
    expect(said).toEqual(['a.csv:6: The log holds it with other content (EVENT_CONFLICT)']);
    expect(summary).toMatchObject({ accepted: 0, duplicates: 5, bad: 1 });
  });

  it('tries again while the server is busy', async () => {
    fixture = await ImportFixture.start((_, call) =>
      call < 3 ? problem(call === 1 ? 503 : 429, 'BUSY') : null,
    );
    await fixture.put('a.csv', heading + rows(0, 2));
    expect((await fixture.run()).summary.accepted).toBe(2);
    expect(fixture.log.batches).toEqual([2, 2, 2]);
  });

  it('stops with what the server says, and keeps what is in', async () => {
    fixture = await ImportFixture.start((_, call) =>
      call === 3 ? problem(403, 'FORBIDDEN') : null,
    );
    await fixture.put('a.csv', heading + rows(0, 30));
    await expect(fixture.run()).rejects.toThrow(/FORBIDDEN it is/);
    expect(fixture.log.events.size).toBe(6);
    const { summary } = await fixture.run();
    expect(fixture.log.events.size).toBe(30);
    expect(summary).toMatchObject({ accepted: 24, bad: 0 });
  });

  it('stops at the first bad line when asked, with the lines before it in', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', `${heading}${rows(0, 4)}bad\n${rows(5, 9)}`);
    const { summary, said } = await fixture.run({ strict: true });
    expect(said).toHaveLength(1);
    expect(summary).toMatchObject({ lines: 5, accepted: 4, bad: 1 });
    expect([...fixture.log.events.keys()]).toEqual(['k0@1', 'k1@1', 'k2@1', 'k3@1']);
  });

  it('reports files that cannot be read, and goes on with the others', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', gzipSync(heading + rows(0, 50_000)).subarray(0, 20_000));
    await fixture.put('b.csv', 'id,note\nk1,x\n');
    await fixture.put('c.csv', heading + rows(90_000, 90_002));
    await fixture.put('d.csv', '');
    const { summary, said } = await fixture.run({ batchSize: 10_000 });
    expect(said).toContainEqual(expect.stringMatching(/^a\.csv: the gzip stream breaks off/));
    expect(said).toContain('b.csv: it has no column "amount" (columns.amount)');
    expect(summary).toMatchObject({ files: 4, unreadable: 2, bad: 0 });
    expect(summary.accepted).toBe(summary.lines);
    expect(fixture.log.events.has('k90001@1')).toBe(true);
  });

  it('says which columns of a file nobody takes', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', 'id,amount,colour,size\nk1,1,red,4\n');
    await fixture.put('b.jsonl', '{"id":"k2","amount":1,"shape":"o"}\n{"id":"k3","amount":1}\n');
    expect((await fixture.run()).said).toEqual([
      'a.csv: left out, since the source has no such columns: "colour", "size"',
      'b.jsonl: left out, since the source has no such columns: "shape"',
    ]);
    expect(
      (await fixture.run({ map: 'columns: { note: colour }\nrevision: 2', paths: ['a.csv'] })).said,
    ).toEqual([]);
  });

  it('takes events as they are from JSON Lines', async () => {
    fixture = await ImportFixture.start();
    const lines = [
      '{"eventId":"e1","revision":3,"op":"upsert","payload":{"id":"k1","amount":1.10}}',
      '{"eventId":"e2","revision":4,"op":"delete","key":"k1"}',
      '{"eventId":"e3","revision":0,"op":"upsert","payload":{"id":"k1","amount":1}}',
      '{"eventId":"e4","revision":1,"op":"upsert","payload":{"id":"k1","amont":1}}',
      'not json',
      '[1]',
    ];
    await fixture.put('a.jsonl', lines.join('\n'));
    const { summary, said } = await fixture.run();
    expect(summary).toMatchObject({ lines: 6, accepted: 2, bad: 4 });
    expect(said.map((line) => line.split(':')[1])).toEqual(['3', '4', '5', '6']);
    expect(fixture.log.events.get('e1')).toEqual({
      eventId: 'e1',
      revision: 3,
      op: 'upsert',
      payload: { id: 'k1', amount: '1.10', note: null },
    });
    expect(fixture.log.events.get('e2')).toEqual({
      eventId: 'e2',
      revision: 4,
      op: 'delete',
      key: 'k1',
    });
  });
});
