import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ACCEPTED } from '@/lib/transform/accepted.fixture';
import { accepted, context, refused, using, where, withNet } from '@/lib/transform/check.fixture';
import { SIGNATURES } from '@/lib/transform/function-signatures';
import { checkTransform, transformDigest } from '@/lib/transform/parse';

describe('what is accepted', () => {
  it.each([
    ['a plain projection', withNet('quantity * unit_price')],
    ['keywords in any case and a semicolon', `SELECT line, invoiced_at, 1 AS net FROM Source;`],
    ['a comment', `-- all lines\n${withNet('1.5 /* fixed */')} -- end`],
    ['an alias of source', 'select s.line, s.invoiced_at, s.quantity as net from source as s'],
    [
      'columns qualified by source',
      'select source.line, source.invoiced_at, 1.0 as net from source',
    ],
    ['another order of columns', 'select 1.0 as net, line, invoiced_at from source'],
    ['quoted names', 'select "line", "invoiced_at", length("Odd ""name""") as net from "source"'],
    ['a sub-select of FROM', using('1')],
    [
      'stars',
      'select * from (select line, invoiced_at, 1.5 as net from (select * from source) a) b',
    ],
    [
      'a star of a relation',
      'select s.* from (select line, invoiced_at, 1.5 as net from source) s',
    ],
    ['a CTE', `with s as (${withNet('1.5')}) select * from s`],
    [
      'two CTEs in a row',
      `with a as (select * from source), b as (${withNet('1.5')}) select * from b`
        .replace('from source)', 'from source where gift)')
        .replace(/as net from source/, 'as net from a'),
    ],
    ['a constant CTE', withConstant('(select rate from p)')],
    ['a sub-select of constants', withNet('(select 0.2)')],
    ['a sub-select of the row itself', withNet('(select source.quantity * 2)')],
    ['a filter', where("country = 'United Kingdom' and not gift or quantity > 3")],
  ])('%s', async (_, sql) => {
    const transform = await accepted(sql);
    expect(transform.columns.map(({ name }) => name).toSorted()).toEqual([
      'invoiced_at',
      'line',
      'net',
    ]);
    expect(transform.businessTimeSource).toBe('invoiced_at');
  });

  function withConstant(expression: string): string {
    return `with p as (select 0.2 as rate) select line, invoiced_at, ${expression} as net from source`;
  }

  it.each(ACCEPTED.map(({ sql }) => sql))('the expression %s', async (expression) => {
    await accepted(using(expression));
  });

  it('names where each output comes from, through aliases, CTEs and sub-selects', async () => {
    const { columns, businessTimeSource } = await accepted(
      `with a as (select line as l, invoiced_at as t, quantity as q from source)
       select x.l as line, x.t as invoiced_at, q + 0 as net from (select * from a) x`,
    );
    expect(columns).toEqual([
      { name: 'line', type: 'text', passThrough: 'line' },
      { name: 'invoiced_at', type: 'timestamptz', passThrough: 'invoiced_at' },
      { name: 'net', type: 'integer', passThrough: null },
    ]);
    expect(businessTimeSource).toBe('invoiced_at');
    const moved = await accepted(
      "select line, invoiced_at + interval '1 hour' as invoiced_at, 1.5 as net from source",
    );
    expect(moved.businessTimeSource).toBeNull();
  });

  it('says whether rows can be filtered out', async () => {
    expect((await accepted(withNet('1.5'))).filters).toBe(false);
    expect((await accepted(where('gift'))).filters).toBe(true);
    expect((await accepted(using('\'"whereClause":\''))).filters).toBe(false);
  });
});

describe('output columns', () => {
  it.each([
    ['one missing', 'select line, invoiced_at from source', /lacks .* net/],
    [
      'one too many',
      `${withNet('1.5, quantity')}`.replace('1.5, quantity as net', '1.5 as net, quantity'),
      /no column quantity/,
    ],
    ['one twice', 'select line, line, invoiced_at, 1.5 as net from source', /two columns line/],
    [
      'one without a name',
      'select line, invoiced_at, quantity * 2 from source',
      /no column \?column\?/,
    ],
    [
      'one named by its function',
      'select line, invoiced_at, abs(quantity) from source',
      /no column abs/,
    ],
    [
      'one named by its type',
      'select line, invoiced_at, 1::numeric from source',
      /no column numeric/,
    ],
    ['another case', 'select "line", invoiced_at, 1.5 as "Net" from source', /no column Net/],
    ['text for a number', withNet('country'), /net is text.*numeric/],
    ['a string for a number', withNet("'1.5'"), /net is text.*numeric/],
    ['NULL without a type', withNet('null'), /net is text.*numeric/],
    [
      'a timestamp for an instant',
      "select line, invoiced_at at time zone 'UTC' as invoiced_at, 1.5 as net from source",
      /time zone/,
    ],
    [
      'a date for an instant',
      'select line, day as invoiced_at, 1.5 as net from source',
      /time zone/,
    ],
  ])('refuses %s', async (_, sql, message) => {
    expect((await refused(sql)).map((problem) => problem.message).join(' ')).toMatch(message);
  });

  it('takes any number for a number, and NULL with a type', async () => {
    await accepted(withNet('weight'));
    await accepted(withNet('null::numeric'));
  });

  it('asks that key and business time are columns', async () => {
    const check = await checkTransform(withNet('1.5'), { ...context, key: ['id'] });
    expect(check).toMatchObject({ ok: false, problems: [{ code: 'TRANSFORM_INVALID' }] });
  });
});

describe('positions', () => {
  it.each([
    ['a syntax error', 'select line,\n  from source', 2, 3],
    ['a syntax error behind other letters', "select 'Größe 😀',, 1", 1, 18],
    ['the end', 'select line from source where', 1, 30],
    ['a function', 'select line, invoiced_at,\n  now() as net\nfrom source', 2, 3],
    [
      'a literal behind other letters',
      "select '😀😀é' as line, day = 'today' as net from source",
      1,
      29,
    ],
    ['a cast', 'select line, invoiced_at, country::date as net from source', 1, 27],
    ['a type', "select line, invoiced_at, 'a'::regclass as net from source", 1, 32],
    ['a relation', 'select line, invoiced_at, 1 as net\r\nfrom orders', 2, 6],
    ['a second statement', 'select line, invoiced_at, 1 as net from source;\n\n select 2', 3, 2],
    ['a second read', 'select a.line, a.invoiced_at, 1 as net from source a, source b', 1, 55],
    ['an operator', 'select line, invoiced_at, country + 1 as net from source', 1, 35],
    ['a column', 'select line, invoiced_at, price as net from source', 1, 27],
  ])('of %s', async (_, sql, line, column) => {
    expect((await refused(sql))[0]).toMatchObject({ line, column });
  });

  it('gives all problems in order, each once', async () => {
    const problems = await refused(
      'select line, now() as invoiced_at,\n random() as net from source order by 1',
    );
    expect(problems.map(({ line, column, code }) => [line, column, code])).toEqual([
      [1, 14, 'TRANSFORM_NOT_DETERMINISTIC'],
      [2, 2, 'TRANSFORM_NOT_DETERMINISTIC'],
      [2, 39, 'TRANSFORM_NOT_ROW_WISE'],
    ]);
  });
});

describe('digest', () => {
  it('does not change with white space, comments, case of keywords or needless brackets', async () => {
    const plain = await accepted(withNet('quantity * unit_price'));
    const other = await accepted(
      'SELECT\n  Line , invoiced_at, /* price */ (quantity * (unit_price)) net\nFROM source -- all\n;',
    );
    expect(other.digest).toBe(plain.digest);
    expect(other.sql).not.toBe(plain.sql);
    expect(plain.digest).toBe(transformDigest(plain.normal));
    expect(plain.normal).toBe('SELECT line, invoiced_at, quantity * unit_price AS net FROM source');
  });

  it('changes with anything that can change a row', async () => {
    const digests = await Promise.all(
      ['0.175', '0.1750', '0.2', "'0.2'::numeric", '-0.2', '(1 - 2) - 3', '1 - (2 - 3)'].map(
        async (net) => (await accepted(withNet(net))).digest,
      ),
    );
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('is that of its normal form', async () => {
    for (const expression of ["country || ' a  b '", '2 ^ (3 ^ 2)', "'a''b' || E'\\\\'"]) {
      const transform = await accepted(using(expression));
      expect((await accepted(transform.normal)).digest).toBe(transform.digest);
    }
  });
});

describe('docs/transforms.md', () => {
  const page = readFileSync(new URL('../../docs/transforms.md', import.meta.url), 'utf8');

  it('names every function that may be called', () => {
    const list = /The functions are:\n\n([\s\S]*?)\n\n/.exec(page)?.[1] ?? '';
    const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    const listed = SIGNATURES.trim()
      .split('\n')
      .map((line) => line.slice(0, line.indexOf('(')));
    expect(named).toEqual([...new Set(listed)].toSorted());
  });

  it('advises what is accepted, against what is refused', async () => {
    const end = page.indexOf('Time zones in literals');
    const table = page.slice(page.lastIndexOf('| --- |', end), end);
    const cells = (column: number) =>
      table
        .split('\n')
        .map((line) => line.replaceAll('\\|', '\u0001').split('|')[column] ?? '')
        .map((cell) => /`([^`]+)`/.exec(cell)?.[1]?.replaceAll('\u0001', '|') ?? '')
        .filter((code) => code !== '')
        .map((code) => code.replace(/\bx\b/g, 'country'));
    for (const code of cells(2)) await accepted(using(code));
    for (const code of cells(1)) {
      expect((await refused(using(code)))[0]?.code).toBe('TRANSFORM_NOT_DETERMINISTIC');
    }
    expect(cells(2).length).toBeGreaterThan(8);
  });

  it('begins with a transform that is accepted', async () => {
    const example = /```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const check = await checkTransform(example, {
      ...context,
      targetColumns: [
        ...context.targetColumns,
        { name: 'country', type: 'text' },
        { name: 'tax', type: 'numeric(14,2)' },
      ],
    });
    expect(check).toMatchObject({ ok: true });
  });
});
