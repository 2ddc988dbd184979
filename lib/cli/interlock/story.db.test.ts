import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ApiClient } from '@/lib/cli/interlock/api-client';
import type { Io } from '@/lib/cli/interlock/io';
import { runInterlock } from '@/lib/cli/interlock/program';
import { provisionToken } from '@/lib/services/people';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { cast, castPeople, orders, type Person, vatFix, World } from '@/lib/testing/world';
import { matchPath } from '@/lib/web/api/path';
import { endpoints } from '@/lib/web/api/registry';
import { serve, serveNothing } from '@/lib/web/api/serve';
import { useWebDatabase } from '@/lib/web/db';

let t: TestDatabase;
let world: World;
let folder: string;
const tokens = new Map<string, string>();

/** The API itself, without a network between. */
const door: typeof fetch = async (url, init) => {
  const request = new Request(url as string | URL, init);
  const below = new URL(request.url).pathname.replace('/api/v1', '');
  const endpoint = endpoints.find(
    (each) => each.method === request.method && matchPath(each.path, below) !== null,
  );
  const template = endpoint?.move ? '/releases/{release}/{move}' : endpoint?.path;
  const handlers = template === undefined ? serveNothing() : serve(template);
  return handlers[request.method as 'GET'](request);
};

async function interlock(person: Person, ...argv: string[]) {
  let out = '';
  let said = '';
  const io: Io = {
    write: async (text) => {
      out += text;
    },
    say: (line) => {
      said += `${line}\n`;
    },
    watched: false,
    api: () => new ApiClient({ url: 'http://interlock', token: tokens.get(person), fetch: door }),
    dataFolder: path.join(folder, '.data'),
  };
  return { code: await runInterlock(argv, io), out, said };
}

const put = async (name: string, content: unknown) => {
  const file = path.join(folder, name);
  await writeFile(file, typeof content === 'string' ? content : stringify(content));
  return file;
};

beforeAll(async () => {
  t = await testDatabase();
  useWebDatabase(t.connect('web'));
  world = new World(t.db);
  folder = await mkdtemp(path.join(tmpdir(), 'story-'));
  await castPeople(t.db);
  for (const [person, roles] of Object.entries(cast)) {
    const { token } = await provisionToken(t.db, { person, roles, requestId: 'test' });
    tokens.set(person, token);
  }
});
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true });
});

describe('a release from the command line', () => {
  it('begins with a source, its files and a dataset', async () => {
    const source = await put('source.yaml', orders.source);
    expect(await interlock('root', 'source', 'apply', '-f', source)).toMatchObject({ code: 0 });
    const map = await put('map.yaml', {
      zone: 'Europe/London',
      columns: {
        quantity: 'Quantity',
        unit_price: 'UnitPrice',
        country: { from: 'Country', empty: null },
        invoiced_at: 'InvoiceDate',
      },
      key: ['InvoiceNo', '$line'],
    });
    const lines = await put(
      'lines.csv',
      [
        'InvoiceNo,Quantity,InvoiceDate,UnitPrice,Country',
        '1,2,2011-01-03 23:59:59,10.005,UK',
        '1,2,2011-01-04 00:00:00,10.005,UK',
        'C2,-1,2011-01-05 12:00:00,0.50,"Channel Islands, The"',
        '3,x,2011-01-05 12:00:00,1,UK',
        '4,1,2011-03-27 01:30:00,1,UK',
        '5,3,2011-01-06 09:00:00,1,',
      ].join('\n'),
    );
    const imported = await interlock(
      'feed',
      'source',
      'import',
      'orders',
      lines,
      '--map',
      map,
      '--json',
    );
    expect(imported.code).toBe(1);
    expect(imported.said.replaceAll(`${folder}/`, '').trim().split('\n')).toEqual([
      expect.stringMatching(/^lines\.csv:5: .*not a whole number.*\(INVALID_INPUT\)$/),
      expect.stringMatching(
        /^lines\.csv:6: .*does not exist in Europe\/London \(AMBIGUOUS_TIME\)$/,
      ),
    ]);
    expect(JSON.parse(imported.out)).toMatchObject({
      lines: 6,
      accepted: 4,
      duplicates: 0,
      bad: 2,
    });
    const again = await interlock(
      'feed',
      'source',
      'import',
      'orders',
      lines,
      '--map',
      map,
      '--json',
      '--restart',
    );
    expect(JSON.parse(again.out)).toMatchObject({ accepted: 0, duplicates: 4 });

    const dataset = await put('dataset.yaml', orders.dataset);
    expect(await interlock('root', 'dataset', 'apply', '-f', dataset)).toMatchObject({ code: 0 });
    await world.live();
    const rows = await interlock('reader', 'dataset', 'rows', 'order_tax');
    expect(rows.out).toBe(
      [
        'line,invoiced_at,country,net,tax',
        '1:1,2011-01-03T23:59:59Z,UK,20.010,3.50',
        '1:2,2011-01-04T00:00:00Z,UK,20.010,3.50',
        'C2:3,2011-01-05T12:00:00Z,"Channel Islands, The",-0.500,-0.09',
        '5:6,2011-01-06T09:00:00Z,,3.000,0.53',
        '',
      ].join('\n'),
    );
    expect((await interlock('eve', 'source', 'show', 'orders')).out).toMatch(/events +4/);
    expect((await interlock('eve', 'dataset', 'show', 'order_tax')).out).toMatch(
      /ingress +OPEN, epoch 1/,
    );
  });

  it('is drafted, built, sealed, signed, cut over and rolled back', async () => {
    const range = { from: '2011-01-04T00:00:00Z', to: '2011-01-07T00:00:00Z' };
    const file = await put('release.yaml', vatFix(range));
    expect(await interlock('eve', 'release', 'create', '-f', file)).toMatchObject({ code: 1 });
    expect(await interlock('ana', 'release', 'create', '-f', file)).toMatchObject({
      code: 0,
      out: 'vat-fix@1 DRAFT\n',
    });
    const release = 'vat-fix@1';
    const move = async (person: Person, name: string, ...options: string[]) => {
      const done = await interlock(person, 'release', name, release, ...options);
      expect(done, done.said).toMatchObject({ code: 0 });
      await world.work(release);
    };
    expect(await interlock('ana', 'release', 'seal', release)).toMatchObject({ code: 3 });
    await move('ana', 'pin');
    await move('ana', 'build');
    await move('ana', 'rehearse');
    await move('dee', 'seal', '--comment', 'quiet hour');
    const shown = await interlock('eve', 'release', 'show', release, '--json');
    const { evidence, state } = JSON.parse(shown.out);
    expect(state).toBe('RECONCILED');

    const other = `sha256:${'0'.repeat(64)}`;
    const moved = await interlock('bo', 'release', 'approve', release, '--evidence', other);
    expect(moved.code).toBe(3);
    expect(moved.said).toMatch(/EVIDENCE_MOVED/);
    expect((await interlock('dee', 'release', 'activate', release)).said).toMatch(
      /APPROVALS_MISSING|WRONG_STATE/,
    );
    const diff = await interlock('eve', 'release', 'diff', release, '--class', 'explained');
    expect(diff, diff.said).toMatchObject({ code: 0 });
    const [heading, ...differing] = diff.out.trim().split('\n');
    expect(heading).toMatch(
      /^partition,key,class,rule,kind,drift,changed,old\.line,control\.line,new\.line,/,
    );
    expect(differing).toHaveLength(3);
    expect(differing[0]).toMatch(/^2011-01-04T00:00:00Z,1:2,.*vat-20.*,3\.50,3\.50,4\.00$/);
    const one = await interlock(
      'eve',
      'release',
      'diff',
      release,
      '--limit',
      '1',
      '--format',
      'jsonl',
    );
    expect(JSON.parse(one.out)).toMatchObject({ key: '1:2', new: { tax: '4.00' } });
    await move('bo', 'approve', '--evidence', evidence.digest);
    await move('cyd', 'approve', '--evidence', evidence.digest, '--statement', 'read it');
    await move('bo', 'sign-rollback', '--evidence', evidence.digest);
    const text = (await interlock('eve', 'release', 'show', release)).out;
    expect(text).toMatch(/signatures +2 of 2: bo, cyd/);
    await move('dee', 'activate', '--evidence', evidence.digest);
    const rows = await interlock('reader', 'dataset', 'rows', 'order_tax', '--format', 'jsonl');
    expect(
      rows.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).tax),
    ).toEqual(['3.50', '4.00', '-0.10', '0.60']);
    const list = await interlock('eve', 'release', 'list', '--dataset', 'order_tax');
    expect(list.out).toMatch(/vat-fix@1 +ACTIVE \(serving\) +order_tax .* 3 of 3/);
  });

  it('is verified from its exported rows', async () => {
    const verified = await interlock('eve', 'release', 'verify', 'vat-fix@1', '--json');
    expect(verified.code, verified.said).toBe(0);
    expect(JSON.parse(verified.out)).toMatchObject({
      ok: true,
      partitions: 3,
      rows: 3,
      different: [],
      receipts: { equal: 3, moved: 0, different: [] },
      manifest: { verdict: 'equal' },
    });
    const all = await interlock('eve', 'release', 'verify', 'vat-fix@1', '--all');
    expect(all.code).toBe(0);
    expect(all.out).toMatch(/partitions +4 with 4 rows/);
    expect(all.out).toMatch(/verdict +everything agrees/);
  });

  it('is verified although events moved it, and not if a row was changed behind its back', async () => {
    const file = await put(
      'late.jsonl',
      '{"line":"9","quantity":1,"unit_price":1,"country":"UK","invoiced_at":"2011-01-05T10:00:00Z"}\n',
    );
    expect(await interlock('feed', 'source', 'import', 'orders', file)).toMatchObject({ code: 0 });
    await world.live();
    const verified = await interlock('eve', 'release', 'verify', 'vat-fix@1', '--json');
    expect(JSON.parse(verified.out)).toMatchObject({
      ok: true,
      rows: 4,
      receipts: { equal: 2, moved: 1, different: [] },
      manifest: { verdict: 'moved' },
    });
    await t.db.execute(
      `update ds_order_tax.rows set tax = tax + 1 where line = '5:6' and tax = 0.60`,
    );
    const tampered = await interlock('eve', 'release', 'verify', 'vat-fix@1', '--json');
    expect(tampered.code).toBe(1);
    expect(JSON.parse(tampered.out)).toMatchObject({
      ok: false,
      different: [{ start: '2011-01-06T00:00:00Z', rowsSaid: 1, rowsFound: 1 }],
    });
    await t.db.execute(
      `update ds_order_tax.rows set tax = tax - 1 where line = '5:6' and tax = 1.60`,
    );
  });

  it('goes back with the writes made since', async () => {
    const back = await interlock('dee', 'release', 'rollback', 'vat-fix@1', '--comment', 'drill');
    expect(back, back.said).toMatchObject({ code: 0 });
    await world.work('vat-fix@1');
    const shown = await interlock('eve', 'release', 'show', 'vat-fix@1');
    expect(shown.out).toMatch(/state +ROLLED_BACK/);
    const rows = await interlock(
      'reader',
      'dataset',
      'rows',
      'order_tax',
      '--from',
      '2011-01-05T00:00:00Z',
    );
    expect(rows.out).toMatch(/\n9,2011-01-05T10:00:00Z,UK,1\.000,0\.18\n/);
  });

  it('leaves its rows on record', async () => {
    const audit = await interlock(
      'eve',
      'audit',
      'list',
      '--subject',
      'vat-fix@1',
      '--outcome',
      'refused',
    );
    expect(audit.code).toBe(0);
    expect(audit.out).toMatch(/bo +release\.approve +vat-fix@1 +refused/);
    expect(await interlock('eve', 'audit', 'verify')).toMatchObject({ code: 0 });
    expect(await interlock('eve', 'release', 'show', 'nothing@1')).toMatchObject({ code: 4 });
  });
});
