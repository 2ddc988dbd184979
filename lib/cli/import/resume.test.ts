import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { problem } from '@/lib/cli/import/fake-log';
import { heading, ImportFixture, rows } from '@/lib/cli/import/import-fixture';

let fixture: ImportFixture;
afterEach(() => fixture.stop());

describe('an import that was begun before', () => {
  it('sends nothing that is known to be in the log', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', heading + rows(0, 7));
    await fixture.run();
    fixture.log.batches.length = 0;
    const { summary } = await fixture.run();
    expect(summary).toMatchObject({ lines: 7, skipped: 7, accepted: 0, duplicates: 0 });
    // One question: whether the log still has the last event.
    expect(fixture.log.batches).toEqual([1]);
    expect((await fixture.run({ restart: true })).summary).toMatchObject({
      skipped: 0,
      duplicates: 7,
    });
  });

  it('sends what was added to the end of a file', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', heading + rows(0, 4));
    await fixture.run();
    await fixture.put('a.csv', heading + rows(0, 9));
    expect((await fixture.run()).summary).toMatchObject({ lines: 9, skipped: 4, accepted: 5 });
  });

  it('sends all of a file that changed, under another name or the same', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', heading + rows(0, 4));
    await fixture.run();
    await fixture.put('a.csv', heading + rows(3, 4) + rows(0, 3));
    expect((await fixture.run()).summary).toMatchObject({ skipped: 0, duplicates: 4 });
  });

  it('sends everything under another mapping', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', heading + rows(0, 4));
    await fixture.run();
    const { summary } = await fixture.run({ map: 'columns: { note: { const: z } }\nrevision: 2' });
    expect(summary).toMatchObject({ skipped: 0, accepted: 4 });
  });

  it('sends everything to a log that lost it', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', heading + rows(0, 4));
    await fixture.run();
    fixture.log.events.clear();
    const { summary, said } = await fixture.run();
    expect(said).toEqual(['the log is not the one of the last import; everything is sent again']);
    expect(summary.skipped).toBe(0);
    expect([...fixture.log.events.keys()].sort()).toEqual(['k0@1', 'k1@1', 'k2@1', 'k3@1']);
  });

  it('reports bad lines again, and tries again what the API had refused', async () => {
    let refuse = true;
    fixture = await ImportFixture.start((events) => {
      const at = events.findIndex(({ eventId }) => eventId === 'k1@1');
      if (!refuse || at < 0) return null;
      return problem(422, 'INVALID_INPUT', {
        issues: [{ pointer: `/events/${at}`, message: 'No.' }],
      });
    });
    await fixture.put('a.csv', `${heading}${rows(0, 3)}bad\n${rows(4, 6)}`);
    const first = await fixture.run();
    expect(first.summary).toMatchObject({ accepted: 4, bad: 2 });
    expect((await fixture.run()).said.sort()).toEqual(first.said.sort());
    refuse = false;
    const last = await fixture.run();
    expect(last.summary).toMatchObject({ skipped: 4, accepted: 1, bad: 1 });
    expect((await fixture.run()).summary).toMatchObject({ skipped: 5, accepted: 0, bad: 1 });
  });

  it('believes no memory that is damaged', async () => {
    fixture = await ImportFixture.start();
    await fixture.put('a.csv', heading + rows(0, 4));
    await fixture.run();
    const memory = path.join(fixture.folder, '.memory');
    const [file = ''] = await readdir(memory);
    await writeFile(path.join(memory, file), '{"version":1,"files":{"a');
    expect((await fixture.run()).summary).toMatchObject({ skipped: 0, duplicates: 4 });
  });
});
