import type { ReactNode } from 'react';
import { shortDigest } from '@/components/ui/digest-text';
import { figureText } from '@/components/ui/figure-text';
import type { Json } from '@/lib/domain/json';

/** What a callback answers: done, or a problem with every blocker that stood in the way. */
export type ActionResult = { ok: true } | { ok: false; problem: ActionProblem };

export interface ActionProblem {
  /** The code, as the API and the command line spell it. */
  code: string;
  title: string;
  detail?: string;
  blockers?: readonly BlockerView[];
}

/** A blocker of the domain, with what the page adds: a line more, and a small action that fixes it. */
export interface BlockerView {
  code: string;
  kind: 'fix' | 'wait';
  message: string;
  /** One line under the message: the interval, the figure against its limit. */
  detail?: ReactNode;
  /** Where the thing itself is shown. */
  link?: string;
  expected?: Json;
  current?: Json;
  fix?: BlockerFix;
}

export interface BlockerFix {
  label: string;
  /** Does it from here… */
  action?: () => Promise<ActionResult>;
  /** …or goes where it is done. */
  href?: string;
  /** Why it is not possible yet; shown in place of the detail, the button is then disabled. */
  notYet?: string;
}

const WORDS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'];
const inWords = (count: number) => WORDS[count] ?? figureText(count);

/** "Four things stand in the way. Two are yours to fix." */
export function blockersSentence(blockers: readonly Pick<BlockerView, 'kind'>[]): string {
  const all = blockers.length;
  const fix = blockers.filter((b) => b.kind === 'fix').length;
  const first = `${inWords(all)} ${all === 1 ? 'thing stands' : 'things stand'} in the way.`;
  if (fix === 0) {
    return `${first} ${all === 1 ? 'It comes' : 'They come'} by ${all === 1 ? 'itself' : 'themselves'}.`;
  }
  if (all === 1) return `${first} It is yours to fix.`;
  if (fix === all) return `${first} All are yours to fix.`;
  return `${first} ${inWords(fix)} ${fix === 1 ? 'is' : 'are'} yours to fix.`;
}

/** "4 blockers", for the button. */
export function blockersCount(count: number): string {
  return `${count} ${count === 1 ? 'blocker' : 'blockers'}`;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * One side of a condition as text: names and words as they are, digests short, numbers grouped, the
 * rest as JSON.
 */
export function sideText(value: Json | undefined): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string') return DIGEST.test(value) ? shortDigest(value) : value;
  if (typeof value === 'number') return figureText(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(sideText).join(', ');
  return Object.entries(value)
    .map(([name, side]) => `${name} ${sideText(side)}`)
    .join(', ');
}

/** Fix first, then wait, each in the order given. */
export function inOrder<B extends Pick<BlockerView, 'kind'>>(blockers: readonly B[]): B[] {
  return [
    ...blockers.filter((b) => b.kind === 'fix'),
    ...blockers.filter((b) => b.kind === 'wait'),
  ];
}
