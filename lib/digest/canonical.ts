import { createHash } from 'node:crypto';

/** A digest as it is written everywhere: `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** SHA-256 over the parts, one after the other; a string counts as its UTF-8 bytes. 32 bytes. */
export function sha256Bytes(...parts: readonly (Uint8Array | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(typeof part === 'string' ? utf8(part) : part);
  return hash.digest();
}

/** SHA-256 of bytes or of a string's UTF-8 bytes, in the written form. */
export function sha256(input: Uint8Array | string): Digest {
  return formatDigest(sha256Bytes(input));
}

/** Writes 32 bytes as `sha256:<hex>`. */
export function formatDigest(bytes: Uint8Array): Digest {
  if (bytes.length !== 32)
    throw new RangeError(`a SHA-256 digest has 32 bytes, not ${bytes.length}`);
  return `sha256:${Buffer.from(bytes).toString('hex')}`;
}

/** Reads `sha256:<64 lower-case hex digits>` into 32 bytes; throws a RangeError on anything else. */
export function parseDigest(text: string): Buffer {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(text)?.[1];
  if (hex === undefined) throw new RangeError(`not a SHA-256 digest: ${JSON.stringify(text)}`);
  return Buffer.from(hex, 'hex');
}

/**
 * UTF-8 bytes of a string. Throws on a lone surrogate: PostgreSQL cannot hold one, and the usual
 * encoders replace it silently, so that two different strings would get one digest.
 */
export function utf8(text: string): Buffer {
  if (LONE_SURROGATE.test(text)) throw new RangeError('a string holds a lone surrogate');
  return Buffer.from(text, 'utf8');
}

/**
 * The bytes that open every digest of one kind: the tag in UTF-8 and one zero byte. The zero byte
 * makes tags prefix-free, so that nothing hashed under `x.v1` can be read as hashed under `x.v10`.
 */
export function tagBytes(tag: string): Buffer {
  if (!/^[a-z0-9.-]+$/.test(tag)) throw new RangeError(`not a domain tag: ${JSON.stringify(tag)}`);
  return Buffer.from(`${tag}\0`, 'utf8');
}

/**
 * Canonical JSON (RFC 8785): members sorted by UTF-16 code units, ECMAScript number and string
 * forms, no white space; strings are taken as they are, without Unicode normalisation.
 *
 * A member whose value is `undefined` does not exist, as in JSON itself: so the canonical form of
 * a value equals that of the same value read back from stored JSON. Throws a TypeError on whatever
 * JSON cannot say without loss: `undefined` elsewhere, NaN and infinities, bigint, symbols,
 * functions, objects with a prototype of their own (Date, Map…), cycles, lone surrogates.
 */
export function canonicalJson(value: unknown): string {
  return write(value, '', new Set());
}

/** Digest of a JSON value under a domain tag: SHA-256(tag ‖ 0x00 ‖ canonical JSON). */
export function digestOf(domainTag: string, value: unknown): Digest {
  return formatDigest(sha256Bytes(tagBytes(domainTag), canonicalJson(value)));
}

function write(value: unknown, pointer: string, open: Set<object>): string {
  switch (typeof value) {
    case 'string':
      if (LONE_SURROGATE.test(value)) throw refuse(pointer, 'a string with a lone surrogate');
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) throw refuse(pointer, String(value));
      return JSON.stringify(value);
    case 'object':
      return value === null ? 'null' : writeObject(value, pointer, open);
    default:
      throw refuse(pointer, typeof value);
  }
}

function writeObject(value: object, pointer: string, open: Set<object>): string {
  if (open.has(value)) throw refuse(pointer, 'a cycle');
  open.add(value);
  const text = Array.isArray(value)
    ? writeArray(value, pointer, open)
    : writeMembers(value, pointer, open);
  open.delete(value);
  return text;
}

function writeArray(value: readonly unknown[], pointer: string, open: Set<object>): string {
  // Array.from visits holes too, which `map` would leave out and `join` write as nothing.
  return `[${Array.from(value, (item, i) => write(item, `${pointer}/${i}`, open)).join(',')}]`;
}

function writeMembers(value: object, pointer: string, open: Set<object>): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw refuse(pointer, `an object of class ${value.constructor?.name ?? 'unknown'}`);
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, member]) => {
      if (LONE_SURROGATE.test(name)) throw refuse(pointer, 'a name with a lone surrogate');
      return `${JSON.stringify(name)}:${write(member, `${pointer}/${name}`, open)}`;
    });
  return `{${members.join(',')}}`;
}

function refuse(pointer: string, what: string): TypeError {
  return new TypeError(`no canonical form at "${pointer}": ${what}`);
}
