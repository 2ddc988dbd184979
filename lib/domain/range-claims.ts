/** Reserving a range: whose each partition is. Partitions are names, as in the walk. */

export interface ClaimOutcome {
  /** The owner's now, those that were his before too: a retry must not look like a failure. */
  readonly claimed: readonly string[];
  /** Those of them that nobody held. */
  readonly taken: readonly string[];
  readonly denied: readonly (readonly [partition: string, holder: string])[];
}

/**
 * Grants and denies a claim partition by partition; a denied one does not take the others with it.
 *
 * @param held who holds what, read in the transaction that will write `taken`
 */
export function claimRange(
  partitions: readonly string[],
  owner: string,
  held: ReadonlyMap<string, string>,
): ClaimOutcome {
  const claimed: string[] = [];
  const taken: string[] = [];
  const denied: [string, string][] = [];
  for (const partition of partitions) {
    const holder = held.get(partition);
    if (holder !== undefined && holder !== owner) {
      denied.push([partition, holder]);
      continue;
    }
    claimed.push(partition);
    if (holder === undefined) taken.push(partition);
  }
  return { claimed, taken, denied };
}

/** What of a range an owner may let go of: his own claims, and nobody else's. */
export function releasable(
  partitions: readonly string[],
  owner: string,
  held: ReadonlyMap<string, string>,
): string[] {
  return partitions.filter((partition) => held.get(partition) === owner);
}
