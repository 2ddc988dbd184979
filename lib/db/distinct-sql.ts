import { type SQL, sql } from 'drizzle-orm';

/**
 * The values that occur in a column, in order. PostgreSQL reads the whole table for `distinct`; this
 * goes from value to value in the column's index, so it costs what there are values, however long
 * the history.
 *
 * @param table of `control`, with an index that begins with the column; both are ours, never input
 */
export function distinctSql(table: string, column: string): SQL {
  const t = sql.raw(`control.${table}`);
  const c = sql.raw(`"${column}"`);
  return sql`with recursive found as (
      select min(${c}) as value from ${t}
      union all
      select (select min(t.${c}) from ${t} t where t.${c} > f.value) from found f
      where f.value is not null
    )
    select value from found where value is not null order by value`;
}
