/** A watermark as the doors give it: the offset of each shard by the shard's number. */
export type Offsets = Record<string, string>;

export function offsetsByShard(offsets: readonly string[]): Offsets {
  return Object.fromEntries(offsets.map((offset, shard) => [String(shard), offset]));
}

export function offsetsOrNull(offsets: readonly string[] | null): Offsets | null {
  return offsets === null ? null : offsetsByShard(offsets);
}
