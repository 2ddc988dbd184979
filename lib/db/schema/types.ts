import { customType, pgSchema } from 'drizzle-orm/pg-core';

/** Everything that Interlock decides with. Readers see the schema `read`, never this one. */
export const control = pgSchema('control');

/** An exact instant as PostgreSQL's text; microseconds survive, which `Date` would not keep. */
export const instant = customType<{ data: string }>({ dataType: () => 'timestamptz' });

/** A watermark: one offset per shard, shard 0 first. Offsets are strings (64 bit). */
export const offsets = customType<{ data: string[] }>({ dataType: () => 'bigint[]' });

/** 64-bit integers as exact text. */
export const int8 = customType<{ data: string }>({ dataType: () => 'bigint' });

export const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

export const byteArrays = customType<{ data: Uint8Array[] }>({ dataType: () => 'bytea[]' });

export const tstzrange = customType<{ data: string }>({ dataType: () => 'tstzrange' });

/** A generated 64-bit id, read as exact text like every other bigint. */
export const identity = customType<{ data: string; notNull: true; default: true }>({
  dataType: () => 'bigint generated always as identity',
});
