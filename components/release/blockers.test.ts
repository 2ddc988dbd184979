import { describe, expect, it } from 'vitest';
import { blockersCount, blockersSentence, inOrder, sideText } from './blockers';

const fix = { kind: 'fix' as const };
const wait = { kind: 'wait' as const };

describe('blockersSentence', () => {
  it.each([
    [[fix, fix, wait, wait], 'Four things stand in the way. Two are yours to fix.'],
    [[fix, wait], 'Two things stand in the way. One is yours to fix.'],
    [[fix], 'One thing stands in the way. It is yours to fix.'],
    [[fix, fix], 'Two things stand in the way. All are yours to fix.'],
    [[wait], 'One thing stands in the way. It comes by itself.'],
    [[wait, wait, wait], 'Three things stand in the way. They come by themselves.'],
    [Array.from({ length: 12 }, () => fix), '12 things stand in the way. All are yours to fix.'],
  ])('%#', (blockers, sentence) => {
    expect(blockersSentence(blockers)).toBe(sentence);
  });
});

it('counts for the button', () => {
  expect(blockersCount(1)).toBe('1 blocker');
  expect(blockersCount(4)).toBe('4 blockers');
});

it('puts what can be fixed first and keeps the order otherwise', () => {
  const list = [
    { kind: 'wait' as const, code: 'a' },
    { kind: 'fix' as const, code: 'b' },
    { kind: 'wait' as const, code: 'c' },
    { kind: 'fix' as const, code: 'd' },
  ];
  expect(inOrder(list).map((b) => b.code)).toEqual(['b', 'd', 'a', 'c']);
});

it('shows both sides of a condition as text', () => {
  expect(sideText('epoch 41, sealed')).toBe('epoch 41, sealed');
  expect(sideText(`sha256:${'ab12'.repeat(16)}`)).toBe('ab12…ab12');
  expect(sideText(1073322)).toBe('1,073,322');
  expect(sideText(null)).toBe('none');
  expect(sideText(undefined)).toBe('none');
  expect(sideText(false)).toBe('no');
  expect(sideText([])).toBe('none');
  expect(sideText(['ben', 'cyd'])).toBe('ben, cyd');
  expect(sideText({ 0: '134168', 1: '134201' })).toBe('0 134168, 1 134201');
});
