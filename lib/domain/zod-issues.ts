import * as z from 'zod';
import { pointerOf, quoted } from './json';
import { Invalid, type Issue, type Read } from './refusal';
import { isCode } from './refusal-codes';

type Raw = z.core.$ZodIssue;

/**
 * Schema of a text that one of our readers puts into canonical form; the reader's code and
 * message become the issue's. `meta` is what the OpenAPI document says of it.
 */
export function textSchema<T>(read: (text: string) => Read<T>, meta: z.GlobalMeta = {}) {
  return z
    .string()
    .meta(meta)
    .transform((text, ctx): T => {
      const result = read(text);
      if (result.ok) return result.value;
      ctx.issues.push({
        code: 'custom',
        message: result.message,
        input: text,
        params: { code: result.code },
      });
      return z.NEVER;
    });
}

/** Issues of a failed parse with JSON pointers below `base`; each unknown key is one of its own. */
export function issuesOf(error: z.ZodError, base = ''): Issue[] {
  return error.issues.flatMap((issue) => flatten(issue, base));
}

/** The value in the schema's canonical form; `Invalid` with all issues otherwise. */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown, base = ''): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new Invalid(issuesOf(result.error, base));
}

function flatten(issue: Raw, base: string): Issue[] {
  const pointer = base + pointerOf(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        pointer: pointer + pointerOf([key]),
        code: 'UNKNOWN_FIELD' as const,
        message: `There is no field ${quoted(key)} here.`,
      }));
    case 'invalid_union': {
      const branch = closest(issue.errors);
      return branch
        ? branch.flatMap((inner) => flatten(inner, pointer))
        : [{ pointer, code: 'INVALID_INPUT', message: issue.message }];
    }
    case 'custom': {
      const code = issue.params?.code;
      return [{ pointer, code: isCode(code) ? code : 'INVALID_INPUT', message: issue.message }];
    }
    default:
      return isMissing(issue)
        ? [{ pointer, code: 'REQUIRED', message: `${lastOf(issue.path)} is required.` }]
        : [{ pointer, code: 'INVALID_INPUT', message: issue.message }];
  }
}

/** Of a union's branches, the one that got furthest into the value. */
function closest(branches: readonly (readonly Raw[])[]): readonly Raw[] | undefined {
  const depth = (issues: readonly Raw[]) =>
    Math.max(
      ...issues.map((i) => i.path.length + (i.code === 'invalid_type' && !i.path.length ? 0 : 1)),
    );
  return [...branches].filter((b) => b.length > 0).sort((a, b) => depth(b) - depth(a))[0];
}

function isMissing(issue: Raw): boolean {
  return 'input' in issue && issue.input === undefined;
}

function lastOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'A body' : String(path.at(-1));
}
