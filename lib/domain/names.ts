import * as z from 'zod';
import { quoted } from './json';
import { Invalid, type Read } from './refusal';
import { textSchema } from './zod-issues';

/**
 * Names become parts of schema, table and role names of at most 63 bytes, of URLs and of shell
 * arguments. So each kind is a short ASCII form; what does not fit is refused, never rewritten.
 */

type Form = { kind: string; form: RegExp; says: string; refuses?: (name: string) => string | null };

const IDENTIFIER = 'a small letter, then small letters, digits and _, 48 characters at most';
const SLUG = 'a small letter, then small letters, digits and -, 48 characters at most';

/** PostgreSQL gives every table columns of these names. */
const SYSTEM_COLUMNS = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']);
/** Names under which the system itself stands in the audit chain. */
const RESERVED_PERSONS = new Set(['runner', 'system', 'interlock', 'nobody', 'anonymous']);

function notReserved(name: string): string | null {
  return name.startsWith('pg_') ? 'names that begin with pg_ belong to PostgreSQL' : null;
}

const SOURCE: Form = {
  kind: 'source',
  form: /^[a-z][a-z0-9_]{0,47}$/,
  says: IDENTIFIER,
  refuses: notReserved,
};
const DATASET: Form = { ...SOURCE, kind: 'dataset' };
const COLUMN: Form = {
  kind: 'column',
  form: /^[a-z][a-z0-9_]{0,58}$/,
  says: 'a small letter, then small letters, digits and _, 59 characters at most; those that begin with _ are the system’s',
  refuses: (name) =>
    SYSTEM_COLUMNS.has(name) ? 'every table of PostgreSQL has a column of this name' : null,
};
const RELEASE: Form = { kind: 'release', form: /^[a-z][a-z0-9-]{0,47}$/, says: SLUG };
const SUBSCRIBER: Form = { ...RELEASE, kind: 'subscriber' };
const GENERATION: Form = {
  kind: 'generation',
  form: /^[a-z][a-z0-9_-]{0,63}$/,
  says: 'a small letter, then small letters, digits, - and _, 64 characters at most',
};
const METRIC: Form = {
  kind: 'metric',
  form: /^[a-z][a-z0-9_-]{0,47}$/,
  says: 'a small letter, then small letters, digits, _ and -, 48 characters at most',
};
const SNAPSHOT: Form = {
  kind: 'snapshot',
  form: /^[a-z][a-z0-9_]{0,47}:[a-z0-9][a-z0-9-]{0,47}$/,
  says: 'source:name, such as orders:snapshot-8841',
};

const PERSON = /^[a-z][a-z0-9._-]{0,47}$/;
const EMAIL =
  /^[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
const REFERENCE = /^([^@]*)@([1-9]\d{0,8})$/;
const LABEL = /^[^\p{C}\p{Zl}\p{Zp}]{1,80}$/u;

function reader({ kind, form, says, refuses }: Form) {
  return (value: unknown): Read<string> => {
    const refuse = (why: string) => ({
      ok: false as const,
      code: 'INVALID_NAME' as const,
      message: `${quoted(value)} is not a name for a ${kind}: ${why}.`,
    });
    if (typeof value !== 'string' || !form.test(value)) return refuse(says);
    const reserved = refuses?.(value) ?? null;
    return reserved === null ? { ok: true, value } : refuse(reserved);
  };
}

export const readSourceName = reader(SOURCE);
export const readDatasetName = reader(DATASET);
export const readColumnName = reader(COLUMN);
export const readReleaseName = reader(RELEASE);
export const readGenerationName = reader(GENERATION);

const description = ({ says }: Form) => ({ description: says });
export const sourceNameSchema = textSchema(readSourceName, description(SOURCE));
export const datasetNameSchema = textSchema(readDatasetName, description(DATASET));
export const columnNameSchema = textSchema(readColumnName, description(COLUMN));
export const generationNameSchema = textSchema(readGenerationName, description(GENERATION));
export const subscriberNameSchema = textSchema(reader(SUBSCRIBER), description(SUBSCRIBER));
/** Names of conserved sums and rollups: they become keys of JSON and parts of check names. */
export const metricNameSchema = textSchema(reader(METRIC), description(METRIC));
export const snapshotNameSchema = textSchema(reader(SNAPSHOT), description(SNAPSHOT));

/** A heading that people read (of a rule, of a check): one line of 1 to 80 visible characters. */
export const labelSchema = textSchema(
  (text): Read<string> =>
    LABEL.test(text) && text.trim() === text
      ? { ok: true, value: text }
      : {
          ok: false,
          code: 'INVALID_NAME',
          message: `${quoted(text)} is not a heading of one line, 1 to 80 characters, without blanks around it.`,
        },
  { description: 'one line, 1 to 80 characters' },
);

/**
 * The name of a person, or an email address, in small letters. Case is folded here and nowhere
 * else: two spellings of one person would be two signatures.
 */
export function readPerson(value: unknown): Read<string> {
  const name = typeof value === 'string' ? value.toLowerCase() : '';
  if (RESERVED_PERSONS.has(name)) {
    return {
      ok: false,
      code: 'INVALID_NAME',
      message: `${quoted(value)} is a name of the system.`,
    };
  }
  if (PERSON.test(name) || (name.length <= 254 && EMAIL.test(name)))
    return { ok: true, value: name };
  return {
    ok: false,
    code: 'INVALID_NAME',
    message: `${quoted(value)} is not a name for a person: a letter, then letters, digits, ., _ and -, 48 characters at most, or an email address.`,
  };
}

export const personSchema = textSchema(readPerson, { description: 'a name or an email address' });

/** One revision of a release, written `name@revision`. */
export type ReleaseRef = { name: string; revision: number };

export function formatReleaseRef({ name, revision }: ReleaseRef): string {
  return `${name}@${revision}`;
}

/** Reads `order-tax-fix@3`. */
export function readReleaseRef(value: unknown): Read<ReleaseRef> {
  const match = typeof value === 'string' ? REFERENCE.exec(value) : null;
  if (match === null) {
    return {
      ok: false,
      code: 'INVALID_NAME',
      message: `${quoted(value)} is not one revision of a release, such as order-tax-fix@3.`,
    };
  }
  const name = readReleaseName(match[1]);
  return name.ok ? { ok: true, value: { name: name.value, revision: Number(match[2]) } } : name;
}

/** Reads `order-tax-fix@3`, or a bare name, whose revision is then for the server to choose. */
export function readReleaseNameOrRef(
  value: unknown,
): Read<{ name: string; revision: number | null }> {
  if (typeof value === 'string' && value.includes('@')) return readReleaseRef(value);
  const name = readReleaseName(value);
  return name.ok ? { ok: true, value: { name: name.value, revision: null } } : name;
}

/** The name if it is one, else `Invalid` at the pointer: for names that come in a URL. */
export function parseName<T>(read: (value: unknown) => Read<T>, value: unknown, pointer = ''): T {
  const result = read(value);
  if (result.ok) return result.value;
  throw new Invalid({ pointer, code: result.code, message: result.message });
}

/**
 * Names of a drill's fork and of the release on it. The `~` is in no name that people may give, so
 * nothing that they ask for by name can be one of these.
 */
export const forkName = (name: string, drill: string) => `${name}~drill-${drill}`;
export const isFork = (name: string) => name.includes('~');
/** The dataset, or release, whose fork it is; any other name as it is. */
export const originOf = (name: string) => name.replace(/~.*$/, '');

/** Digest of a transform, a column list, a root…: `sha256:` and 64 hexadecimal digits. */
export const digestSchema = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'A digest is sha256: and 64 small hexadecimal digits.');
