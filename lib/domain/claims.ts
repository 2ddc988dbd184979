import { formatCount, plural } from './figures';
import { quoted } from './json';
import { type Blocker, type Read, toFix, toWait } from './refusal';

/** Partitions that follow one another and that one owner reserved. */
export interface ClaimRange {
  /** Half-open, `[from, to)`: starts of partitions. */
  from: string;
  to: string;
  partitions: number;
  owner: string;
  /** The person who claimed, or who started the release's build. */
  by: string;
  /** When the first of them was claimed. */
  since: string;
}

/** One claimed partition, as it is stored. */
export type Claimed = { start: string; end: string; owner: string; by: string; at: string };

const OWNER = /^[^\p{C}\p{Zl}\p{Zp}]{1,80}$/u;
const OF_RELEASE = /^[^@]*@\d+$/;

/** Whether an owner's name is one that only a release has: `name@revision`. */
export const isReleaseOwner = (owner: string): boolean => OF_RELEASE.test(owner);

/** Reads the name that people claim under: any one line, but not a release's. */
export function readClaimOwner(value: unknown): Read<string> {
  const refuse = (why: string) => ({
    ok: false as const,
    code: 'INVALID_NAME' as const,
    message: `${quoted(value)} is not an owner of claims: ${why}.`,
  });
  if (typeof value !== 'string' || !OWNER.test(value) || value.trim() !== value) {
    return refuse('one line, 1 to 80 characters, without blanks around it');
  }
  if (isReleaseOwner(value)) return refuse('names of the form name@n belong to releases');
  return { ok: true, value };
}

/** Claims in the order of start as ranges: neighbours of one owner, claimed by one person, are one. */
export function claimRanges(claims: readonly Claimed[]): ClaimRange[] {
  const ranges: ClaimRange[] = [];
  for (const { start, end, owner, by, at } of claims) {
    const last = ranges.at(-1);
    if (last && last.to === start && last.owner === owner && last.by === by) {
      last.to = end;
      last.partitions += 1;
      if (at < last.since) last.since = at;
    } else {
      ranges.push({ from: start, to: end, partitions: 1, owner, by, since: at });
    }
  }
  return ranges;
}

const mostNamed = 3;

/**
 * Why a build may not start: each of the others' ranges with its owner, a few at most. What only
 * releases hold comes free by itself; from an owner somebody has to get it.
 */
export function claimBlockers(dataset: string, inTheWay: readonly ClaimRange[]): Blocker[] {
  if (inTheWay.length === 0) return [];
  const count = inTheWay.reduce((sum, range) => sum + range.partitions, 0);
  const named = inTheWay
    .slice(0, mostNamed)
    .map(({ from, to, owner }) => `[${from}, ${to}) by ${owner}`);
  const more = inTheWay.slice(mostNamed).reduce((sum, range) => sum + range.partitions, 0);
  const list = [...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join(', ');
  const say = inTheWay.every(({ owner }) => isReleaseOwner(owner)) ? toWait : toFix;
  return [
    say(
      'RANGE_CLAIMED',
      `${plural(count, 'planned partition')} ${count === 1 ? 'is' : 'are'} claimed: ${list}. The build starts when they are let go.`,
      {
        current: inTheWay
          .slice(0, mostNamed)
          .map(({ from, to, owner, partitions }) => ({ from, to, owner, partitions })),
        link: `/datasets/${dataset}#claims`,
      },
    ),
  ];
}
