import type { Database, Tx } from '@/lib/db/client';
import { claimsBetween, dropClaims, takeClaims } from '@/lib/db/statements/claim';
import { transaction } from '@/lib/db/transaction';
import { type Claimed, type ClaimRange, claimRanges } from '@/lib/domain/claims';
import { plural } from '@/lib/domain/figures';
import { parseName, readDatasetName } from '@/lib/domain/names';
import { claimRange } from '@/lib/domain/range-claims';
import { NotFound } from '@/lib/domain/refusal';
import { writeAudit } from '@/lib/services/audit/write';
import { chainOf, isDataset, patience } from '@/lib/services/of-dataset';
import { verb } from '@/lib/services/verb';
import { type ClaimInput, partitionsOf, type ReadClaim, readClaim } from './range';

/** How a range stands for an owner, partition by partition; partitions by their start. */
export interface ClaimAnswer {
  dataset: string;
  owner: string;
  /** The range that was read; null where none was given. */
  range: { from: string | null; to: string | null };
  /** The owner's after the call. */
  claimed: string[];
  /** Others', each with who holds it. */
  denied: [partition: string, owner: string][];
}

/**
 * Reserves the partitions of a range, date by date: what is free becomes the owner's, what was the
 * owner's stays it, what is another's is denied and takes nothing else with it. Two calls at once
 * never get one partition both: the table's key lets one in. A call that changes nothing and was
 * denied nothing leaves no audit row.
 */
export const claim = verb<ClaimInput, ClaimAnswer>(
  { name: 'dataset.claim', subject: ({ dataset }) => dataset, chain: chainOf },
  async (ctx, input) => {
    const read = readClaim(input, ctx.actor.person);
    return transaction(
      ctx.db,
      async (tx) => {
        const partitions = await partitionsOf(tx, read);
        const { dataset, owner } = read;
        const { taken, before } = await takeClaims(tx, {
          dataset,
          owner,
          by: ctx.actor.person,
          partitions,
        });
        const { claimed, denied } = claimRange(
          partitions.map((p) => p.start),
          owner,
          new Map(before.map((c) => [c.start, c.owner])),
        );
        if (taken.size > 0 || denied.length > 0) {
          await writeAudit(tx, ctx, {
            chain: `dataset:${dataset}`,
            verb: 'dataset.claim',
            subject: dataset,
            outcome: taken.size > 0 ? 'done' : 'refused',
            reason: denied.length > 0 ? deniedText(denied) : null,
            after: {
              ...said(read),
              claimed: rangesOf(partitions.filter((p) => taken.has(p.start))),
              denied: denied.slice(0, mostTold),
            },
          });
        }
        return answer(read, claimed, denied);
      },
      patience,
    );
  },
);

/** Lets go of an owner's claims in a range, and of nobody else's. */
export const releaseClaims = verb<ClaimInput, ClaimAnswer & { released: string[] }>(
  { name: 'dataset.release-claims', subject: ({ dataset }) => dataset, chain: chainOf },
  async (ctx, input) => {
    const read = readClaim(input, ctx.actor.person);
    return transaction(
      ctx.db,
      async (tx) => {
        await partitionsOf(tx, read);
        const released = await dropClaims(tx, read);
        const left = await claimsBetween(tx, read.dataset, read.from, read.to);
        const now = standing(left, read.owner);
        if (released.length > 0 || now.denied.length > 0) {
          await writeAudit(tx, ctx, {
            chain: `dataset:${read.dataset}`,
            verb: 'dataset.release-claims',
            subject: read.dataset,
            outcome: released.length > 0 ? 'done' : 'refused',
            reason: now.denied.length > 0 ? deniedText(now.denied) : null,
            after: {
              ...said(read),
              released: rangesOf(released),
              denied: now.denied.slice(0, mostTold),
            },
          });
        }
        const starts = released.map((p) => p.start);
        return { ...answer(read, now.claimed, now.denied), released: starts };
      },
      patience,
    );
  },
);

export interface ClaimsView extends ClaimAnswer {
  /** Everybody's, consecutive partitions of one owner as one range, in order of time. */
  claims: ClaimRange[];
}

export interface ClaimsRequest {
  dataset: string;
  from?: string | undefined;
  to?: string | undefined;
  owner?: string | undefined;
}

/**
 * Claims of a dataset, whole or in a range, and how they stand for an owner.
 *
 * @param person for whom, where no owner is given
 * @throws NotFound
 */
export async function claimsView(
  db: Database | Tx,
  { dataset, from, to, owner }: ClaimsRequest,
  person: string,
): Promise<ClaimsView> {
  const name = parseName(readDatasetName, dataset);
  if (!(await isDataset(db, name))) throw new NotFound('dataset', name);
  const found = await claimsBetween(db, name, from ?? null, to ?? null);
  const self = owner ?? person;
  const now = standing(found, self);
  return {
    dataset: name,
    owner: self,
    range: { from: from ?? null, to: to ?? null },
    ...now,
    claims: claimRanges(found),
  };
}

function standing(found: readonly Claimed[], owner: string) {
  const held = new Map(found.map((c) => [c.start, c.owner]));
  const { claimed, denied } = claimRange([...held.keys()], owner, held);
  return { claimed: [...claimed], denied: denied.map(([start, holder]) => pair(start, holder)) };
}

const pair = (start: string, holder: string): [string, string] => [start, holder];

function answer(
  { dataset, owner, from, to }: ReadClaim,
  claimed: readonly string[],
  denied: readonly (readonly [string, string])[],
): ClaimAnswer {
  return {
    dataset,
    owner,
    range: { from, to },
    claimed: [...claimed],
    denied: denied.map(([start, holder]) => pair(start, holder)),
  };
}

const said = ({ owner, from, to }: ReadClaim) => ({ owner, range: { from, to } });

/** Denied partitions that an audit row names one by one; the reason says how many there are. */
const mostTold = 100;

function deniedText(denied: readonly (readonly [string, string])[]): string {
  const holders = [...new Set(denied.map(([, holder]) => holder))];
  const named = holders.slice(0, 3).join(', ');
  const more = holders.length > 3 ? ` and ${holders.length - 3} others` : '';
  return `${plural(denied.length, 'partition')} ${denied.length === 1 ? 'is' : 'are'} claimed by ${named}${more}.`;
}

/** Consecutive partitions as `[from, to)`. */
function rangesOf(partitions: readonly { start: string; end: string }[]): [string, string][] {
  const ranges: [string, string][] = [];
  for (const { start, end } of partitions) {
    const last = ranges.at(-1);
    if (last && last[1] === start) last[1] = end;
    else ranges.push([start, end]);
  }
  return ranges;
}
