import { notFound } from 'next/navigation';
import { NoPermission } from '@/components/ui/empty';
import { may, rolesFor, type Verb } from '@/lib/domain/permissions';
import { Gone, NotFound } from '@/lib/domain/refusal';
import type { Actor } from '@/lib/services/context';
import { anyRole, rolesSpelt } from '../roles';

/** What somebody sees whose roles do not let them see a page. */
export function NoAccess({ actor, verb, what }: { actor: Actor; verb: Verb; what: string }) {
  return (
    <NoPermission
      what={what}
      person={actor.person}
      roles={rolesSpelt(actor.roles)}
      needs={anyRole(rolesFor(verb))}
    />
  );
}

/** Which of some moves a person's roles allow: what a page shows as buttons. */
export type Can<V extends Verb> = Readonly<Record<V, boolean>>;

export function canDo<V extends Verb>(actor: Actor, verbs: readonly V[]): Can<V> {
  return Object.fromEntries(verbs.map((verb) => [verb, may(actor.roles, verb)])) as Can<V>;
}

/** The page's data, or the page that says that there is no such thing. */
export async function orNotFound<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof NotFound || error instanceof Gone) notFound();
    throw error;
  }
}
