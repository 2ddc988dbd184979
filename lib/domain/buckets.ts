/** Buckets of a partition: a root is taken over these, and a touched one is recomputed alone. */
export const BUCKETS = 64;
