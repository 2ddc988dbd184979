import { SIGNATURES } from '@/lib/transform/function-signatures';
import { isZoneName } from '@/lib/transform/literal';
import { elementOf, isArray, type Typed, type ValueType, widens } from '@/lib/transform/value-type';

interface Signature {
  readonly parameters: readonly string[];
  readonly variadic: boolean;
  readonly result: ValueType;
}

const catalog = new Map<string, Signature[]>();
for (const line of SIGNATURES.trim().split('\n')) {
  const match = /^(\w+)\((.*)\) (\S+)$/.exec(line);
  if (!match) throw new SyntaxError(`function catalog: ${line}`);
  const [, name = '', list = '', result = ''] = match;
  const parameters = (list === '' ? [] : list.split(',')).map(typeOfToken);
  const variadic = parameters.at(-1) === '...';
  const signature: Signature = {
    parameters: variadic ? parameters.slice(0, -1) : parameters,
    variadic,
    result: typeOfToken(result) as ValueType,
  };
  catalog.set(name, [...(catalog.get(name) ?? []), signature]);
}

function typeOfToken(token: string): string {
  return token === 'double' ? 'double precision' : token;
}

/** A literal number that is an argument, which bounds the size of a result. */
export interface Argument extends Typed {
  readonly number: number | null;
}

/** Whether a function of this name may be called at all. */
export function isListed(name: string): boolean {
  return catalog.has(name);
}

/**
 * The type that the call yields, or null if no listed form of the function fits. Among several the
 * one is taken that PostgreSQL takes: the most arguments of exactly the type, then double precision.
 */
export function resultOf(name: string, args: readonly Argument[]): ValueType | null {
  let best: { result: ValueType; score: number } | null = null;
  for (const signature of catalog.get(name) ?? []) {
    const score = suits(signature, args);
    if (score !== null && (best === null || score > best.score)) {
      best = { result: signature.result, score };
    }
  }
  return best?.result ?? null;
}

function suits(signature: Signature, args: readonly Argument[]): number | null {
  const { parameters, variadic } = signature;
  if (variadic ? args.length < parameters.length : args.length !== parameters.length) return null;
  let score = 0;
  for (const [i, arg] of args.entries()) {
    const points = suitsOne(parameters[Math.min(i, parameters.length - 1)] ?? '', arg);
    if (points === null) return null;
    score += points;
  }
  return score;
}

const EXACT = 100;

function suitsOne(parameter: string, arg: Argument): number | null {
  if (arg.type === 'error') return 0;
  if (parameter.startsWith("'")) return LITERAL_CHECKS[parameter]?.(arg) ? EXACT : null;
  switch (parameter) {
    case '?':
      return 0;
    case '~':
      return hasFixedForm(arg) ? 0 : null;
    case '#count':
      return arg.number !== null && arg.number <= 10_000 ? EXACT : null;
    case '#zone':
      if (arg.literal !== null) return isZoneName(arg.literal) ? EXACT : null;
      return arg.type === 'text' || arg.type === 'interval' ? EXACT : null;
    case 'array':
      return isArray(arg.type) ? EXACT : null;
  }
  if (arg.type === parameter) return EXACT;
  const preferred = parameter === 'double precision' ? 1 : 0;
  if (arg.type === 'unknown') return takesLiterals(parameter) ? preferred : null;
  return widens(arg.type, parameter as ValueType) ? preferred : null;
}

/** A bare literal never becomes a date or time here: its author must say which, and completely. */
function takesLiterals(parameter: string): boolean {
  return !['date', 'timestamp', 'timestamptz', 'time', 'interval'].includes(parameter);
}

const FIXED_FORM: readonly ValueType[] = [
  'unknown',
  'text',
  'boolean',
  'uuid',
  'integer',
  'bigint',
  'numeric',
  'jsonb',
];

function hasFixedForm(arg: Argument): boolean {
  return FIXED_FORM.includes(isArray(arg.type) ? elementOf(arg.type) : arg.type);
}

const LITERAL_CHECKS: Readonly<Record<string, (arg: Argument) => boolean>> = {
  "'zone'": ({ literal }) => literal !== null && isZoneName(literal),
  "'utf8'": ({ literal }) => literal !== null && /^utf-?8$/i.test(literal),
  "'epoch'": ({ literal }) => literal?.toLowerCase() === 'epoch',
  "'path'": ({ literal }) => literal !== null,
  "'format'": ({ literal }) => literal !== null && !/TM/i.test(literal),
  "'offsetFormat'": ({ literal }) =>
    literal !== null && /TZH/i.test(literal) && !/TM|TZ(?!H|M)/i.test(literal),
};
