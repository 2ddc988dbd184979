import { sql } from 'drizzle-orm';
import { connect } from '@/lib/db/client';
import { rowsTable } from '@/lib/db/dataset-shape';

/** What PostgreSQL says of a disk that does not take a block. */
export const DISK_ERROR = 'could not write block 7: Input/output error';

/** A disk that does not take what belongs to some days, until it is mended. */
export interface BadDisk {
  mend: (day: string) => Promise<void>;
  close: () => Promise<void>;
}

/**
 * From now on whatever writes a row of these days into the dataset is answered as by a bad disk: no
 * fault of the row, which would only be set aside, so the partition's attempt fails.
 *
 * @param days starts of partitions
 */
export async function badDisk(url: string, dataset: string, days: string[]): Promise<BadDisk> {
  const db = connect(url, { role: 'tool' });
  const table = rowsTable(dataset);
  const [schema] = table.split('.');
  const bad = `${schema}.bad_block`;
  await db.execute(sql.raw(`create table ${bad} (day timestamptz primary key)`));
  await db.execute(sql.raw(`grant select on ${bad} to public`));
  await db.execute(sql`insert into ${sql.raw(bad)}
    select day::timestamptz from jsonb_array_elements_text(${JSON.stringify(days)}::text::jsonb) as day`);
  await db.execute(
    sql.raw(`create function ${schema}.write_block() returns trigger language plpgsql as $$
      begin
        if exists (select from ${bad} where day = new._partition) then
          raise exception '${DISK_ERROR}' using errcode = '58030';
        end if;
        return new;
      end $$`),
  );
  await db.execute(
    sql.raw(`create trigger write_block before insert on ${table}
      for each row execute function ${schema}.write_block()`),
  );
  return {
    mend: async (day) => {
      await db.execute(sql`delete from ${sql.raw(bad)} where day = ${day}::timestamptz`);
    },
    close: async () => {
      await db.execute(sql.raw(`drop trigger write_block on ${table}`));
      await db.execute(sql.raw(`drop function ${schema}.write_block()`));
      await db.execute(sql.raw(`drop table ${bad}`));
      await db.close();
    },
  };
}
