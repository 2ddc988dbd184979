import type { Role } from '@/lib/domain/permissions';
import type { AdminPerson } from '@/lib/queries/admin';

/** What each role may do, as the rest of "can …", in the order of the permission table. */
export type Grants = Readonly<Record<Role, readonly string[]>>;

export interface RoleChange {
  given: Role[];
  taken: Role[];
  /** What the person could not do before, and what no longer. */
  gains: string[];
  loses: string[];
  /** Signatures that no longer count; they count again if the role comes back. */
  signatures: AdminPerson['signatures'];
  /** Tokens that carry a role that is taken. */
  weaker: number;
  /** Roles that nobody would hold. */
  orphaned: Role[];
}

/** What a person's roles being exactly `after` changes, for them and for everybody. */
export function roleChange(
  person: Pick<AdminPerson, 'roles' | 'tokens' | 'signatures'>,
  after: readonly Role[],
  grants: Grants,
  holders: Partial<Record<Role, number>>,
): RoleChange {
  const given = after.filter((role) => !person.roles.includes(role));
  const taken = person.roles.filter((role) => !after.includes(role));
  const had = new Set(person.roles.flatMap((role) => grants[role]));
  const has = new Set(after.flatMap((role) => grants[role]));
  // what few roles may do is what is missed: it stands first
  const holdersOf = (can: string) =>
    Object.values(grants).filter((cans) => cans.includes(can)).length;
  const rarest = (cans: Iterable<string>) => [...cans].sort((a, b) => holdersOf(a) - holdersOf(b));
  return {
    given,
    taken,
    gains: rarest(has).filter((can) => !had.has(can)),
    loses: rarest(had).filter((can) => !has.has(can)),
    signatures: taken.includes('approver') ? person.signatures : [],
    weaker: person.tokens.filter((roles) => roles.some((role) => taken.includes(role))).length,
    orphaned: taken.filter((role) => (holders[role] ?? 0) <= 1),
  };
}
