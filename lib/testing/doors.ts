import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { type Database, one } from '@/lib/db/client';
import { traceOf } from '@/lib/testing/refusal';

const root = path.resolve(import.meta.dirname, '../..');

/** Source files below some folders, as paths from the repository's root, tests left out. */
export function sources(...folders: string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(folder, file),
      ),
    )
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .sort();
}

/** Files that hold server actions: the directive at the head of a module, or of a function in it. */
export function actionFiles(): string[] {
  return sources('app', 'components', 'lib').filter((file) =>
    /^\s*(['"])use server\1/m.test(read(file)),
  );
}

export const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Loads a module of the repository by its path from the root. */
export const load = (file: string): Promise<Record<string, unknown>> =>
  import(/* @vite-ignore */ path.join(root, file));

interface Manifest {
  node: Record<string, { exportedName?: string; filename?: string }>;
}

/**
 * The server actions that the newest production build has, as `file name`; null where there is no
 * build, or where sources with actions changed since.
 *
 * @param changedAt when the last of those sources changed, in milliseconds
 */
export function builtActions(changedAt: number): string[] | null {
  const at = path.join(root, '.next/server/server-reference-manifest.json');
  try {
    const built = statTime('.next/BUILD_ID');
    if (built === null || built < changedAt) return null;
    const { node } = JSON.parse(readFileSync(at, 'utf8')) as Manifest;
    const names = Object.values(node).map((each) => `${each.filename} ${each.exportedName}`);
    return [...new Set(names)].sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** When a file was last changed, in milliseconds; null where it is not there. */
export function statTime(file: string): number | null {
  return statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/**
 * A digest of everything that a call at a door must not change: all our tables but the audit, the
 * count of strangers, and when a token was last used.
 */
export async function doorTrace(db: Database): Promise<Record<string, string>> {
  const trace = await traceOf(db);
  const tokens = await one<{ digest: string }>(
    db,
    sql`select md5(coalesce(string_agg((to_jsonb(t) - 'last_used_at')::text, '|' order by id), ''))
        as digest from control.token t`,
  );
  const { 'control.stranger_call': _, ...rest } = trace;
  return { ...rest, 'control.token': tokens.digest };
}

/** How often strangers were counted at a door so far. */
export async function strangersAt(db: Database, door: string): Promise<number> {
  const { count } = await one<{ count: number }>(
    db,
    sql`select coalesce(sum(count), 0)::int as count from control.stranger_call where door = ${door}`,
  );
  return count;
}

/** Refused rows of the audit since an id, oldest first. */
export async function refusedSince(db: Database, id: string) {
  const found = await one<{ rows: { actor: string; verb: string; subject: string }[] | null }>(
    db,
    sql`select json_agg(json_build_object('actor', actor, 'verb', verb, 'subject', subject)
        order by id) as rows
      from control.audit_event where id > ${id} and outcome = 'refused'`,
  );
  return found.rows ?? [];
}

export async function newestAudit(db: Database): Promise<string> {
  const { id } = await one<{ id: string }>(
    db,
    sql`select coalesce(max(id), 0)::text as id from control.audit_event`,
  );
  return id;
}
