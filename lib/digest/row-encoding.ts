import { sha256Bytes, tagBytes, utf8 } from '@/lib/digest/canonical';
import { baseType, type TypedColumn } from '@/lib/digest/column-type';
import { valueBytes } from '@/lib/digest/value-bytes';
import { BUCKETS } from '@/lib/domain/buckets';

export const ROW_TAG = 'interlock.row.v1';

const ROW_PREFIX = tagBytes(ROW_TAG);
const NULL_VALUE = int32(-1);

/** The object id of `bytea`, which PostgreSQL writes into an array's wire form. */
const BYTEA_OID = 17;

/** Length as four bytes big-endian and the bytes; NULL is the length -1 alone. */
export function encodeBytes(bytes: Uint8Array | null): Buffer {
  return bytes === null ? NULL_VALUE : Buffer.concat([int32(bytes.length), bytes]);
}

/** `encodeBytes` of a string's UTF-8 bytes. */
export function encodeText(text: string | null): Buffer {
  return encodeBytes(text === null ? null : utf8(text));
}

/**
 * Row hash: SHA-256 over the tag `interlock.row.v1`, a zero byte and the values in the declared
 * order of the columns, in the wire form of a `bytea[]`; 32 bytes. `values[i]` is the text of
 * `columns[i]` or null. The same hash in SQL is `rowHashSql`; `docs/root-encoding.md` specifies
 * both.
 */
export function rowHash(
  columns: readonly TypedColumn[],
  values: readonly (string | null)[],
): Buffer {
  return sha256Bytes(ROW_PREFIX, rowBytes(columns, values));
}

/** What a row hash is taken over, behind the tag. */
export function rowBytes(
  columns: readonly TypedColumn[],
  values: readonly (string | null)[],
): Buffer {
  if (columns.length === 0) throw new RangeError('a row without columns');
  if (columns.length !== values.length) {
    throw new RangeError(`${values.length} values for ${columns.length} columns`);
  }
  const encoded = columns.map((column, i) => {
    const value = values[i];
    if (value === undefined) throw new RangeError(`no value for column ${column.name}`);
    return encodeBytes(value === null ? null : valueBytes(baseType(column.type), value));
  });
  const hasNull = values.includes(null) ? 1 : 0;
  const header = [1, hasNull, BYTEA_OID, columns.length, 1].map(int32);
  return Buffer.concat([...header, ...encoded]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Bucket of a row, 0 to 63: the low six bits of the first byte of SHA-256 over its key. */
export function bucketOf(key: string): number {
  return sha256Bytes(key).readUInt8(0) & (BUCKETS - 1);
}
