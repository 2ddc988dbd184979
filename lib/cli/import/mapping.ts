import { parseDocument } from 'yaml';
import * as z from 'zod';
import { zoneSchema } from '@/lib/domain/time-zone';
import { localReader } from './local-time';

/**
 * The mapping file of `interlock source import`: how the records of a file become events of a
 * source. `docs/source-import.md` is its page; the two are kept equal by hand.
 */

const ascii = z.string().refine((text) => {
  const code = text.charCodeAt(0);
  return text.length === 1 && code > 0 && code < 128 && text !== '\n' && text !== '\r';
}, 'must be one ASCII character, and no line end');

/** A column of the file, or what is not in it: where the record stands. */
const partSchema = z.union(
  [z.string().min(1), z.strictObject({ const: z.string() })],
  'must be a column, $file, $line or {const: …}',
);

const patternSchema = z.string().superRefine((pattern, context) => {
  try {
    localReader(pattern);
  } catch (error) {
    context.addIssue({ code: 'custom', message: `is no time pattern: ${messageOf(error)}` });
  }
});

const disambiguationSchema = z.enum(['reject', 'earlier', 'later']);

const columnSchema = z
  .strictObject({
    from: z.string().min(1).optional(),
    const: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
    type: z.string().optional(),
    zone: zoneSchema.optional(),
    format: patternSchema.optional(),
    disambiguation: disambiguationSchema.optional(),
    empty: z.string().nullable().optional(),
    trim: z.boolean().optional(),
  })
  .refine((column) => column.from === undefined || column.const === undefined, {
    error: 'takes either from or const',
  });

type ColumnRule = z.output<typeof columnSchema>;

const conditionSchema = z
  .strictObject({
    column: z.string().min(1),
    startsWith: oneOrMore().optional(),
    equals: oneOrMore().optional(),
  })
  .refine((when) => (when.startsWith === undefined) !== (when.equals === undefined), {
    error: 'takes one of startsWith and equals',
  });

const opSchema = z.enum(['upsert', 'delete']);

const mappingSchema = z
  .strictObject({
    format: z.enum(['csv', 'jsonl']).optional(),
    encoding: z.enum(['utf-8', 'latin1', 'windows-1252']).default('utf-8'),
    delimiter: ascii.default(','),
    quote: ascii.nullable().default('"'),
    header: z.array(z.string()).min(1).optional(),
    zone: zoneSchema.optional(),
    disambiguation: disambiguationSchema.default('reject'),
    columns: z
      .record(
        z.string(),
        z.union([
          z
            .string()
            .min(1)
            .transform((from): ColumnRule => ({ from })),
          columnSchema,
        ]),
      )
      .default({}),
    key: z.array(partSchema).min(1).optional(),
    eventId: z.array(partSchema).min(1).optional(),
    revision: z
      .union(
        [
          z.number().int().positive().max(Number.MAX_SAFE_INTEGER),
          z.literal('$line'),
          z.strictObject({
            from: z.string().min(1),
            type: z.enum(['integer', 'timestamptz']).default('integer'),
            zone: zoneSchema.optional(),
            format: patternSchema.optional(),
            disambiguation: disambiguationSchema.optional(),
          }),
          z.strictObject({ file: z.string().refine(isPattern, 'must be a regular expression') }),
        ],
        'must be a positive integer, $line, {from: column} or {file: pattern}',
      )
      .default(1),
    op: z
      // biome-ignore lint/suspicious/noThenProperty: a word of the mapping file, and never a function
      .union([opSchema, z.strictObject({ when: conditionSchema, then: opSchema, else: opSchema })])
      .default('upsert'),
  })
  .refine(({ delimiter, quote }) => delimiter !== quote, {
    path: ['quote'],
    error: 'must not be the delimiter',
  });

export type Mapping = z.output<typeof mappingSchema>;
export type ColumnMapping = Mapping['columns'][string];
export type Part = z.output<typeof partSchema>;

/** A mapping, a source or their fit is wrong; the message has one line for each fault. */
export class MappingError extends Error {
  override readonly name = 'MappingError';
}

/** What applies without a mapping file: columns by name, revision 1, every line an upsert. */
export function defaultMapping(): Mapping {
  return mappingSchema.parse({});
}

/**
 * Reads a mapping from YAML (so JSON too).
 *
 * @throws MappingError naming the file, the line where YAML is broken, or each wrong field
 */
export function parseMapping(text: string, file: string): Mapping {
  const document = parseDocument(text, { prettyErrors: true });
  const broken = document.errors[0];
  if (broken) throw new MappingError(`${file}: ${broken.message}`);
  const parsed = mappingSchema.safeParse(document.toJS() ?? {});
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.flatMap((issue) => faultsOf(issue, []));
  throw new MappingError([...new Set(lines)].map((line) => `${file}: ${line}`).join('\n'));
}

/** Of a union's branches the one that got furthest is what the author meant. */
function faultsOf(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): string[] {
  const path = [...base, ...issue.path];
  const at = path.length === 0 ? 'the mapping' : path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${[...path, key].map(String).join('.')} is not known here`);
  }
  if (issue.code !== 'invalid_union') return [`${at}: ${issue.message}`];
  const meant = issue.errors
    .filter((branch) => branch.some((inner) => inner.path.length > 0 || isKeyFault(inner)))
    .sort((a, b) => a.length - b.length)[0];
  return meant ? meant.flatMap((inner) => faultsOf(inner, path)) : [`${at}: ${issue.message}`];
}

function isKeyFault(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'unrecognized_keys' || issue.code === 'custom';
}

function oneOrMore() {
  return z
    .union([z.string(), z.array(z.string()).min(1)])
    .transform((value) => (typeof value === 'string' ? [value] : value));
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern) !== null;
  } catch {
    return false;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
