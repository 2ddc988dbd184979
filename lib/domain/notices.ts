import { quoted } from './json';
import type { Read } from './refusal';

/** What subscribers are told of. `TEST` is written by hand for one of them, to see that it arrives. */
export const NOTICE_KINDS = [
  'CUTOVER',
  'ROLLED_BACK',
  'PUBLISHED',
  'CORRECTED',
  'CONTAMINATED',
  'CONTAMINATION_LIFTED',
  'CONTAMINATION_PUT_BACK',
  'TEST',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** What a subscriber may ask for: a test goes to whom it is for, asked for or not. */
export const ASKED_KINDS = NOTICE_KINDS.filter((kind) => kind !== 'TEST');

export type AskedKind = (typeof ASKED_KINDS)[number];

export const DELIVERY_STATES = ['WAITING', 'DELIVERED', 'FAILED'] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** How many of its subscribers a notice has reached. */
export interface Told {
  /** Subscribers that were to be told; the other three add up to it. */
  total: number;
  delivered: number;
  waiting: number;
  failed: number;
}

/** Tries after which a delivery is given up, until somebody sends it again. */
export const MOST_ATTEMPTS = 12;

const FIRST_WAIT_SECONDS = 30;
const LONGEST_WAIT_SECONDS = 3_600;

/**
 * Seconds until the next try after so many (1 or more): 30, 60, 120 … and at most an hour. Twelve
 * tries are spread over about five hours.
 */
export function retryWaitSeconds(attempts: number): number {
  return Math.min(FIRST_WAIT_SECONDS * 2 ** (attempts - 1), LONGEST_WAIT_SECONDS);
}

const MOST_OF_URL = 2_000;

/**
 * The address that a subscriber is told at, as `URL` writes it: https, or http, which is for inside
 * networks. Name and password in it are refused, since everybody who reads lists would read them.
 */
export function readSubscriberUrl(value: unknown): Read<string> {
  const refuse = (why: string) => ({
    ok: false as const,
    code: 'INVALID_INPUT' as const,
    message: `${quoted(value)} is not an address to tell: ${why}.`,
  });
  if (typeof value !== 'string' || value.length > MOST_OF_URL || /[\s\p{C}]/u.test(value)) {
    return refuse(`a whole URL without blanks, of at most ${MOST_OF_URL} characters, is needed`);
  }
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null) return refuse('a whole URL is needed, such as https://example.org/notices');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse('it begins with https:// or, inside a network, http://');
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('name and password do not belong in it; the signature says who calls');
  }
  if (url.hash !== '') return refuse('a part after # is never sent');
  return { ok: true, value: url.href };
}

/** The address without what may be a key in it: for whoever does not manage subscribers. */
export function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

/** The subject of what is about an interval: `[from, to)`, both ends in UTC. */
export const intervalSubject = (from: string, to: string) => `[${from}, ${to})`;

const WORDS: Record<NoticeKind, string> = {
  CUTOVER: 'cutover',
  ROLLED_BACK: 'rollback',
  PUBLISHED: 'publication',
  CORRECTED: 'correction',
  CONTAMINATED: 'contaminated range',
  CONTAMINATION_LIFTED: 'contaminated mark lifted',
  CONTAMINATION_PUT_BACK: 'contaminated mark put back',
  TEST: 'test',
};

/** A kind in people's words, as the end of "told of …". */
export const sayNoticeKind = (kind: NoticeKind): string => WORDS[kind];
