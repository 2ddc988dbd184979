import { describe, expect, it } from 'vitest';
import { lateralSql } from '@/lib/transform/compile';
import { checkTransform } from '@/lib/transform/parse';

const columns = [
  { name: 'line', type: 'text' },
  { name: 'at', type: 'timestamptz' },
];
const context = { sourceColumns: columns, targetColumns: columns, businessTime: 'at' };

async function compiled(sql: string, factAlias = 'f'): Promise<string> {
  const check = await checkTransform(sql, context);
  if (!check.ok) throw new Error(JSON.stringify(check.problems));
  return lateralSql(check.transform, { sourceColumns: columns, factAlias });
}

describe('lateralSql', () => {
  it('replaces source in the tree, under its own name or its alias', async () => {
    expect(await compiled('select * from source')).toBe(
      'SELECT * FROM ( SELECT f.line AS line, f.at AS at ) AS source',
    );
    expect(await compiled('select s.line, s.at from source s where s.line > $$a$$')).toBe(
      "SELECT s.line, s.at FROM ( SELECT f.line AS line, f.at AS at ) AS s WHERE s.line > 'a'",
    );
  });

  it('replaces it where it stands, and puts CTEs where they are read', async () => {
    const source = '( SELECT f.line AS line, f.at AS at ) AS source';
    expect(await compiled('with a as (select * from source) select line, at from a')).toBe(
      `SELECT line, at FROM ( SELECT * FROM ${source} ) AS a`,
    );
    expect(
      await compiled(
        'with a as (select * from source), b as (select * from a), p as (select 1 as n) ' +
          'select x.line, x.at from b x where (select n from p) = 1',
      ),
    ).toBe(
      `SELECT x.line, x.at FROM ( SELECT * FROM ( SELECT * FROM ${source} ) AS a ) AS x ` +
        'WHERE ((SELECT n FROM ( SELECT 1 AS n ) AS p)) = 1',
    );
    expect(await compiled('select line, at from (select * from source) source')).toBe(
      `SELECT line, at FROM ( SELECT * FROM ${source} ) AS source`,
    );
  });

  it('quotes the names of facts and columns', async () => {
    const odd = [...columns, { name: 'Select "x"', type: 'text' }];
    const check = await checkTransform('select line, at from source', {
      ...context,
      sourceColumns: odd,
    });
    if (!check.ok) throw new Error('refused');
    const text = lateralSql(check.transform, { sourceColumns: odd, factAlias: 'my facts' });
    expect(text).toContain('"my facts"."Select ""x""" AS "Select ""x"""');
  });

  it('keeps strings that look like the end of the statement as strings', async () => {
    const text = await compiled("select line, at from source where line <> ') t; drop table x --'");
    expect(text.endsWith("line <> ') t; drop table x --'")).toBe(true);
    expect(text).not.toContain('/*');
  });

  it('drops comments', async () => {
    const text = await compiled('select line, at /* ) */ from source -- )\n');
    expect(text).not.toMatch(/\)\s*\*|--/);
  });
});
