import { sql } from 'drizzle-orm';
import { type Database, one, rows, type Tx } from '@/lib/db/client';
import type { PartitionUnit } from '@/lib/domain/partition-plan';
import type { Role } from '@/lib/domain/permissions';
import { budgetCountSql } from '@/lib/queries/admin-budgets';
import { instantForm, type Page, type PageRequest, pageOf, readCursor } from '@/lib/queries/page';

/** Why somebody's loss of a role is felt: a signature that stands as long as they may sign. */
export interface StandingSignature {
  release: string;
  kind: 'cutover' | 'rollback';
}

export interface AdminPerson {
  name: string;
  displayName: string;
  email: string | null;
  /** One of the demonstration's own. */
  demo: boolean;
  roles: Role[];
  createdAt: string;
  /** Roles that each token carries that was not revoked. */
  tokens: Role[][];
  signatures: StandingSignature[];
}

export interface AdminCounts {
  now: string;
  people: number;
  /** How many hold each role; a role that nobody holds is missing. */
  roles: Partial<Record<Role, number>>;
  /** Tokens that were not revoked. */
  tokens: number;
  revoked: number;
  datasets: number;
  sources: number;
  /** Releases that use a budget or will. */
  budgets: number;
  /** Subscribers that were not ended. */
  subscribers: number;
  ended: number;
}

export async function adminCounts(db: Database | Tx): Promise<AdminCounts> {
  return one<AdminCounts>(
    db,
    sql`select clock_timestamp() as now,
      (select count(*)::int from control.person) as people,
      (select coalesce(jsonb_object_agg(h.role, h.n), '{}') from
        (select role, count(*)::int as n from control.person_role group by role) h) as roles,
      (select count(*)::int from control.token where revoked_at is null) as tokens,
      (select count(*)::int from control.token where revoked_at is not null) as revoked,
      (select count(*)::int from control.dataset where fork_of is null) as datasets,
      (select count(*)::int from control.source) as sources,
      ${budgetCountSql} as budgets,
      (select count(*)::int from control.subscriber where ended_at is null) as subscribers,
      (select count(*)::int from control.subscriber where ended_at is not null) as ended`,
  );
}

const personForm = /^[^\p{C}]{1,254}$/u;

/** People by name, with what hangs on their roles. */
export async function adminPeople(
  db: Database | Tx,
  filter: { text?: string | undefined; role?: Role | undefined },
  { limit, cursor }: PageRequest,
): Promise<Page<AdminPerson>> {
  const [after] = readCursor(cursor, [personForm]) ?? [''];
  const text = filter.text?.toLowerCase() ?? null;
  const found = await rows<AdminPerson>(
    db,
    sql`select who.name, who.display_name as "displayName", who.email, who.demo,
        who.created_at as "createdAt",
        array(select r.role from control.person_role r where r.person = who.name order by r.role)
          as roles,
        (select coalesce(jsonb_agg(t.roles order by t.created_at, t.id), '[]') from control.token t
          where t.person = who.name and t.revoked_at is null) as tokens,
        (select coalesce(jsonb_agg(distinct jsonb_build_object(
            'release', l.name || '@' || l.revision, 'kind', s.kind)), '[]')
          from control.signature s join control.release l on l.id = s.release
          where s.person = who.name and s.decision = 'approve' and s.digest = l.evidence
            and (l.state in ('RECONCILED', 'APPROVED')
              or (s.kind = 'rollback' and l.state = 'ACTIVE'))
            and exists (select from control.person_role r
              where r.person = s.person and r.role = 'approver')
            and not exists (select from control.release_author a
              where a.release = s.release and a.person = s.person)) as signatures
      from control.person who
      where who.name > ${after}
        and (${text}::text is null or strpos(who.name, ${text}) > 0
          or strpos(lower(who.display_name), ${text}) > 0
          or strpos(lower(coalesce(who.email, '')), ${text}) > 0)
        and (${filter.role ?? null}::text is null or exists (select from control.person_role r
          where r.person = who.name and r.role = ${filter.role ?? null}))
      order by who.name limit ${limit + 1}`,
  );
  return pageOf(found, limit, (person) => [person.name]);
}

export interface AdminToken {
  id: string;
  person: string;
  /** What it was made for. */
  roles: Role[];
  /** Of these what its person has now: what it is good for. */
  counts: Role[];
  createdAt: string;
  createdBy: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Tokens, newest first, without their secrets, which nobody can show again. */
export async function adminTokens(
  db: Database | Tx,
  filter: { person?: string | undefined; revoked: boolean },
  { limit, cursor }: PageRequest,
): Promise<Page<AdminToken>> {
  const after = readCursor(cursor, [instantForm, uuidForm]);
  const person = filter.person ?? null;
  const found = await rows<AdminToken>(
    db,
    sql`select t.id, t.person, t.roles, t.created_at as "createdAt", t.created_by as "createdBy",
        t.last_used_at as "lastUsedAt", t.revoked_at as "revokedAt",
        array(select r.role from control.person_role r
          where r.person = t.person and r.role = any(t.roles) order by r.role) as counts
      from control.token t
      where (t.revoked_at is not null) = ${filter.revoked}
        and (${person}::text is null or t.person = ${person})
        and (${after?.[0] ?? null}::timestamptz is null
          or (t.created_at, t.id) < (${after?.[0] ?? null}::timestamptz, ${after?.[1] ?? null}::uuid))
      order by t.created_at desc, t.id desc limit ${limit + 1}`,
  );
  return pageOf(found, limit, (token) => [token.createdAt, token.id]);
}

export interface AdminDataset {
  name: string;
  source: string;
  zone: string;
  unit: PartitionUnit;
  /** As it was written down: a field that came later may be missing. */
  policy: unknown;
  /** Releases under way, which do not let the policy be lowered. */
  underWay: string[];
}

/** All datasets of people by name, with their policies. */
export async function adminDatasets(db: Database | Tx): Promise<AdminDataset[]> {
  return rows<AdminDataset>(
    db,
    sql`select d.name, d.source, d.timezone as zone, d.partition as unit, d.policy,
        array(select l.name || '@' || l.revision from control.release l
          where l.dataset = d.name and l.state in ('SNAPSHOT_PINNED', 'BUILDING', 'INGRESS_SEALED',
            'CAUGHT_UP', 'RECONCILED', 'APPROVED', 'RECONCILIATION_REQUIRED')
          order by l.id) as "underWay"
      from control.dataset d where d.fork_of is null order by d.name`,
  );
}

export interface AdminSource {
  name: string;
  key: string[];
  shards: number;
  complete: boolean;
  retentionDays: number | null;
  /** Events that the log still holds. */
  size: string;
  datasets: string[];
}

/** All sources by name, with what reads them. */
export async function adminSources(db: Database | Tx): Promise<AdminSource[]> {
  return rows<AdminSource>(
    db,
    sql`select s.name, s.key, s.shards, s.complete, s.retention_days as "retentionDays",
        (select coalesce(sum(h.last_offset - h.retained_from + 1 + h.base_events), 0)::bigint
          from control.source_shard h where h.source = s.name) as size,
        array(select d.name from control.dataset d
          where d.source = s.name and d.fork_of is null order by d.name) as datasets
      from control.source s order by s.name`,
  );
}
