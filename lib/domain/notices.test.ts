import { describe, expect, it } from 'vitest';
import { askedKindsSchema } from './notice-schemas';
import {
  ASKED_KINDS,
  MOST_ATTEMPTS,
  NOTICE_KINDS,
  readSubscriberUrl,
  retryWaitSeconds,
  shownUrl,
} from './notices';

describe('the address of a subscriber', () => {
  it.each([
    ['https://example.org/notices', 'https://example.org/notices'],
    ['https://EXAMPLE.org', 'https://example.org/'],
    ['http://10.0.0.7:8080/in?key=1', 'http://10.0.0.7:8080/in?key=1'],
    ['http://[::1]:9000/', 'http://[::1]:9000/'],
  ])('is read: %s', (text, value) => {
    expect(readSubscriberUrl(text)).toEqual({ ok: true, value });
  });

  it.each([
    'example.org/notices',
    '/notices',
    '',
    'ftp://example.org/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://ana:secret@example.org/',
    'https://ana@example.org/',
    'https://example.org/#part',
    'https://example.org/with blank',
    ' https://example.org/',
    'https://example.org/\nhost: x',
    'https://',
    `https://example.org/${'x'.repeat(2_000)}`,
    42,
    null,
  ])('is refused: %s', (text) => {
    expect(readSubscriberUrl(text)).toMatchObject({ ok: false, code: 'INVALID_INPUT' });
  });

  it('is shown without its query, which may hold a key', () => {
    expect(shownUrl('https://example.org/in?key=abc')).toBe('https://example.org/in?…');
    expect(shownUrl('https://example.org/in')).toBe('https://example.org/in');
  });
});

describe('kinds', () => {
  it('are asked for each once, in one order, and a test is none that is asked for', () => {
    expect(askedKindsSchema.parse(['PUBLISHED', 'CUTOVER', 'PUBLISHED'])).toEqual([
      'CUTOVER',
      'PUBLISHED',
    ]);
    expect(askedKindsSchema.parse([])).toEqual([]);
    expect(askedKindsSchema.safeParse(['TEST']).success).toBe(false);
    expect(
      NOTICE_KINDS.filter((kind) => !(ASKED_KINDS as readonly string[]).includes(kind)),
    ).toEqual(['TEST']);
  });
});

describe('the wait before the next try', () => {
  it('doubles from half a minute, and is never longer than an hour', () => {
    const waits = Array.from({ length: MOST_ATTEMPTS }, (_, i) => retryWaitSeconds(i + 1));
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600, 3600]);
    const between = waits.slice(0, -1).reduce((sum, wait) => sum + wait, 0);
    expect(between / 3_600).toBeCloseTo(5.06, 1);
  });
});
