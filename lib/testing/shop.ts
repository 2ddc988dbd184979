import { sql } from 'drizzle-orm';
import { affected, type Database, one } from '@/lib/db/client';
import type { Move } from '@/lib/domain/lifecycle';
import type { Role } from '@/lib/domain/permissions';
import type { Ctx } from '@/lib/services/context';
import { moves } from '@/lib/services/release';
import { type TestDatabase, testDatabase } from '@/lib/testing/database';
import { event, type Line, vatFix, World } from '@/lib/testing/world';

export interface Shop {
  t: TestDatabase;
  w: World;
}

/** A database of its own with the shop, a line a day from the 2nd to the 8th of January 2011. */
export async function openShop(dataset: Record<string, unknown> = {}): Promise<Shop> {
  const t = await testDatabase();
  const w = new World(t.db);
  await w.shop(dataset);
  await w.append([2, 3, 4, 5, 6, 7, 8].map((n) => line(n)));
  await w.live();
  return { t, w };
}

/** Noon, or another hour, of a day of January 2011. */
export const day = (n: number, hour = 12): string =>
  `2011-01-${String(n).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`;

/** The line of a day: `l4` at noon of the 4th, at 100.00. */
export const line = (n: number, more: Partial<Line> = {}) =>
  event({ line: `l${n}`, at: day(n), price: '100.00', ...more });

/** The 4th to the 7th: four days of the shop's seven. */
export const fix = (more: Record<string, unknown> = {}) =>
  vatFix({ from: '2011-01-04T00:00:00Z', to: '2011-01-08T00:00:00Z' }, more);

/** Somebody who is not in the cast, with the roles that the database gives them. */
export async function enrol(db: Database, person: string, roles: readonly Role[]): Promise<void> {
  await affected(
    db,
    sql`insert into control.person (name, display_name) values (${person}, ${person})`,
  );
  for (const role of roles) {
    await affected(
      db,
      sql`insert into control.person_role (person, role) values (${person}, ${role})`,
    );
  }
}

/** A call by anybody, with the roles that the door read a moment ago. */
export const by = (db: Database, person: string, roles: readonly Role[]): Ctx => ({
  db,
  actor: { person, roles, via: 'api', session: null },
  requestId: `request-of-${person}`,
});

/** A move by anybody. */
export const moveAs = (
  ctx: Ctx,
  move: Move,
  release: string,
  body: Record<string, unknown> = {},
): Promise<void> => moves[move](ctx, { release, ...body } as never);

export interface Ingress {
  epoch: number;
  state: string;
  active: string | null;
  sealer: string | null;
}

export function ingress(db: Database, dataset = 'order_tax'): Promise<Ingress> {
  return one<Ingress>(
    db,
    sql`select r.epoch, r.state, g.name as active, r.sealer from control.registry r
      left join control.generation g on g.id = r.active_generation where r.dataset = ${dataset}`,
  );
}

/** The id of a release, for statements that take one. */
export async function idOf(db: Database, reference: string): Promise<string> {
  const [name, revision] = reference.split('@');
  const found = await one<{ id: string }>(
    db,
    sql`select id from control.release where name = ${name} and revision = ${revision}`,
  );
  return found.id;
}
