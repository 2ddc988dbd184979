import { expect, it } from 'vitest';
import { exactDuration, readDuration } from './duration';

it.each([
  [0, '0 s'],
  [90, '1 min 30 s'],
  [900, '15 min'],
  [129_600, '1 d 12 h'],
  [90_061, '1 d 1 h 1 min 1 s'],
])('writes %i s as %s, and reads it back', (seconds, text) => {
  expect(exactDuration(seconds)).toBe(text);
  expect(readDuration(text)).toBe(seconds);
});

it('reads what people type, and nothing that is no length of time', () => {
  expect(readDuration('90 min')).toBe(5_400);
  expect(readDuration(' 36h ')).toBe(129_600);
  for (const text of ['', '15', 'min', '1 week', '-1 h', '1.5 h', '1 h x', '1 mins']) {
    expect([text, readDuration(text)]).toEqual([text, null]);
  }
});
