import { createHash, type Hash } from 'node:crypto';
import { type Digest, formatDigest, sha256Bytes, tagBytes, utf8 } from '@/lib/digest/canonical';
import type { TypedColumn } from '@/lib/digest/column-type';
import { bucketOf, rowHash } from '@/lib/digest/row-encoding';
import { BUCKETS } from '@/lib/domain/buckets';

export const BUCKET_TAG = 'interlock.bucket.v1';
export const PARTITION_TAG = 'interlock.partition.v1';

const BUCKET_PREFIX = tagBytes(BUCKET_TAG);
const PARTITION_PREFIX = tagBytes(PARTITION_TAG);

/** Hash of a bucket without rows. */
export const EMPTY_BUCKET_HASH: Uint8Array = sha256Bytes(BUCKET_PREFIX);

/** Root of a partition without rows. */
export const EMPTY_PARTITION_ROOT: Digest = formatDigest(
  partitionRoot(Array.from({ length: BUCKETS }, () => EMPTY_BUCKET_HASH)),
);

/** Partition root: SHA-256 over the tag, a zero byte and the 64 bucket hashes in order. */
export function partitionRoot(bucketHashes: readonly Uint8Array[]): Buffer {
  if (bucketHashes.length !== BUCKETS || bucketHashes.some((hash) => hash.length !== 32)) {
    throw new RangeError(`a partition root is taken over ${BUCKETS} hashes of 32 bytes`);
  }
  return sha256Bytes(PARTITION_PREFIX, ...bucketHashes);
}

export interface PartitionFigures {
  /** Rows of the partition. */
  readonly rows: number;
  /** Rows and hash of each of the 64 buckets. */
  readonly buckets: readonly { readonly rows: number; readonly hash: Buffer }[];
  readonly root: Digest;
}

interface Row {
  readonly key: Buffer;
  readonly hash: Buffer;
}

/**
 * Figures of one partition from its rows. With `order: 'key'` the rows must come in byte order of
 * their keys' UTF-8 (PostgreSQL's `COLLATE "C"`; not the order of JavaScript strings) and memory
 * stays constant; an unsorted row is then an error. Otherwise hashes are kept and sorted.
 */
export class PartitionRootBuilder {
  readonly #columns: readonly TypedColumn[];
  readonly #buckets: Bucket[];
  #last: Buffer | null = null;
  readonly #sorted: boolean;

  constructor(columns: readonly TypedColumn[], options: { order?: 'any' | 'key' } = {}) {
    this.#columns = columns;
    this.#sorted = options.order === 'key';
    this.#buckets = Array.from({ length: BUCKETS }, () =>
      this.#sorted ? new SortedBucket() : new CollectingBucket(),
    );
  }

  /** Adds a row: its `_key` and the texts of its declared columns, null for NULL. */
  add(key: string, values: readonly (string | null)[]): void {
    this.addHash(key, rowHash(this.#columns, values));
  }

  /** Adds a row by its row hash. */
  addHash(key: string, hash: Buffer): void {
    const row = { key: utf8(key), hash };
    if (this.#sorted) {
      if (this.#last !== null && Buffer.compare(this.#last, row.key) >= 0) {
        throw new RangeError(`key ${JSON.stringify(key)} is not above the one before it`);
      }
      this.#last = row.key;
    }
    this.#buckets[bucketOf(key)]?.add(row);
  }

  /** The figures; to be called once, after the last row. */
  finish(): PartitionFigures {
    const buckets = this.#buckets.map((bucket) => ({ rows: bucket.rows, hash: bucket.hash() }));
    return {
      rows: buckets.reduce((sum, bucket) => sum + bucket.rows, 0),
      buckets,
      root: formatDigest(partitionRoot(buckets.map((bucket) => bucket.hash))),
    };
  }
}

interface Bucket {
  readonly rows: number;
  add(row: Row): void;
  hash(): Buffer;
}

class SortedBucket implements Bucket {
  rows = 0;
  readonly #hash: Hash = createHash('sha256').update(BUCKET_PREFIX);

  add(row: Row): void {
    this.rows += 1;
    this.#hash.update(row.hash);
  }

  hash(): Buffer {
    return this.#hash.digest();
  }
}

class CollectingBucket implements Bucket {
  readonly #rows: Row[] = [];

  get rows(): number {
    return this.#rows.length;
  }

  add(row: Row): void {
    this.#rows.push(row);
  }

  hash(): Buffer {
    // Equal keys cannot stand in one partition; the hash decides so that damaged input, too, has
    // one root whatever order it is read in. The SQL side does the same.
    this.#rows.sort((a, b) => Buffer.compare(a.key, b.key) || Buffer.compare(a.hash, b.hash));
    return sha256Bytes(BUCKET_PREFIX, ...this.#rows.map((row) => row.hash));
  }
}
