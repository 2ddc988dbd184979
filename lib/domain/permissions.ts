import { textSchema } from './zod-issues';

/**
 * Who may do what: the whole table, by verb. One person may hold several roles. Roles are read
 * from the database at each decision; what is written here is only what a role may do. That nobody
 * signs a release of their own is a rule of approval, not of a role.
 */
export const ROLES = [
  'owner',
  'approver',
  'oncall',
  'auditor',
  'admin',
  'writer',
  'reader',
] as const;

export type Role = (typeof ROLES)[number];

/** Roles of people at the console; `writer` and `reader` are roles of programs. */
const PEOPLE = ['owner', 'approver', 'oncall', 'auditor', 'admin'] as const;

type Row = readonly [roles: readonly Role[], does: string];

const TABLE = {
  'people.read': [['admin', 'auditor'], 'sees people, their roles and their tokens'],
  'people.write': [['admin'], 'makes people and gives or takes roles'],
  'token.create': [['admin'], 'makes a token for a person, shown once'],
  'token.revoke': [['admin'], 'ends a token'],

  'source.read': [[...PEOPLE, 'writer'], 'sees a source, its shards and its columns'],
  'source.apply': [['admin'], 'declares a source'],
  'source.append': [['writer'], 'posts events'],

  'dataset.read': [[...PEOPLE, 'reader'], 'sees a dataset, its generations and its partitions'],
  'dataset.apply': [['admin'], 'declares a dataset and changes its policy'],
  'dataset.rows': [[...PEOPLE, 'reader'], 'reads rows and rollups'],
  'dataset.lease': [[...PEOPLE, 'reader'], 'pins a generation for reading and ends the lease'],
  'dataset.claim': [['owner', 'oncall'], 'claims partitions of a dataset for an owner'],
  'dataset.release-claims': [['owner', 'oncall'], 'lets go of claims'],
  'dataset.run': [
    ['owner', 'oncall'],
    'has partitions computed again, and retries or cancels a run',
  ],
  'dataset.confirm-run': [['owner', 'oncall'], 'confirms another person’s run, as the second'],
  'dataset.publish': [
    ['owner', 'oncall'],
    'records that figures were published, which seals their partitions',
  ],
  'dataset.amend': [['owner', 'oncall'], 'records a correction of a sealed partition'],
  'dataset.mark-contaminated': [
    ['owner', 'oncall'],
    'marks a range whose served values are known to be wrong',
  ],
  'dataset.link-contamination': [
    ['owner', 'oncall'],
    'links a contaminated mark to the release that repairs it',
  ],
  'dataset.lift-contamination': [
    ['owner', 'oncall'],
    'lifts a contaminated mark that was itself wrong',
  ],
  'report.save': [['owner', 'oncall'], 'saves a report that is read in shadow'],
  'report.end': [['owner', 'oncall'], 'ends a report'],
  'correction.read': [PEOPLE, 'sees publications and corrections, and exports them'],
  'transform.check': [['owner', 'approver', 'admin'], 'has a transform checked'],

  'release.read': [PEOPLE, 'sees releases, plans, receipts, checks and differences'],
  'release.create': [['owner'], 'drafts a release or its next revision'],
  'release.edit': [['owner'], 'changes a draft, and becomes one of its authors'],
  'release.pin': [['owner'], 'freezes a draft'],
  'release.build': [['owner'], 'starts the build'],
  'release.rehearse': [['owner', 'oncall'], 'has the reconciliation rehearsed'],
  'release.shadow': [
    ['owner', 'approver', 'oncall'],
    'has reports read on the old and the new generation, and compared',
  ],
  'release.drill': [['oncall', 'owner'], 'has cutover and rollback tried on a fork'],
  'release.accept': [['owner', 'oncall'], 'accepts drift or quarantine by name'],
  'release.seal': [['oncall', 'owner'], 'seals ingress'],
  'release.reopen': [['oncall', 'owner'], 'reopens ingress that the release sealed'],
  'release.approve': [['approver'], 'signs the cutover'],
  'release.sign-rollback': [['approver'], 'signs the rollback'],
  'release.reject': [['approver'], 'rejects a release, with a comment'],
  'release.activate': [['oncall'], 'executes the cutover'],
  'release.rollback': [['oncall'], 'rolls back'],
  'release.call-off': [['oncall'], 'calls a rollback off before its switch'],
  'release.abandon': [['owner', 'oncall'], 'gives a release up'],
  'release.pause': [['owner', 'oncall'], 'pauses its work'],
  'release.resume': [['owner', 'oncall'], 'lets its work go on'],
  'release.hold': [['owner', 'approver', 'oncall'], 'holds it back from every move forward'],
  'release.unhold': [['owner', 'approver', 'oncall'], 'lifts a hold'],
  'release.retry': [['owner', 'oncall'], 'has failed partitions, or a failed step, done again'],
  'release.limits': [['owner', 'oncall', 'admin'], 'changes limits within the frozen ceilings'],

  'subscriber.read': [PEOPLE, 'sees who is told of a dataset, of what, and whether it arrived'],
  'subscriber.manage': [
    ['admin'],
    'adds, changes, tests and ends subscribers, and sends failed notices again',
  ],

  'audit.read': [PEOPLE, 'reads the audit chain'],
  'audit.verify': [PEOPLE, 'has the audit chain verified'],
  'demo.stream': [['owner', 'oncall', 'admin'], 'switches the demo’s live events on and off'],
} as const satisfies Record<string, Row>;

export type Verb = keyof typeof TABLE;

export const VERBS = Object.keys(TABLE) as Verb[];

/** Whether one of the roles may do it. */
export function may(roles: readonly Role[], verb: Verb): boolean {
  const allowed: readonly Role[] = TABLE[verb][0];
  return roles.some((role) => allowed.includes(role));
}

/** The roles that may do it: for "who may, and how to ask". */
export function rolesFor(verb: Verb): readonly Role[] {
  return TABLE[verb][0];
}

/** What the verb does, as the rest of the sentence "who holds the role …". */
export function sayVerb(verb: Verb): string {
  return TABLE[verb][1];
}

export function isRole(value: unknown): value is Role {
  return (ROLES as readonly unknown[]).includes(value);
}

/** A role as it is written: `on-call` is read too. */
export const roleSchema = textSchema<Role>(
  (text) => {
    const role = text === 'on-call' ? 'oncall' : text;
    return isRole(role)
      ? { ok: true, value: role }
      : { ok: false, code: 'INVALID_INPUT', message: `Roles are ${ROLES.join(', ')}.` };
  },
  { enum: [...ROLES] },
);
