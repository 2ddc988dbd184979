import { describe, expect, it } from 'vitest';
import { brokenLine, indented, indexOf, markedParts, markRange } from './sql-editor-text';

const SQL = 'select\n  nett,\n  tax\nfrom source';

it('finds places, and stays inside the text', () => {
  expect(SQL.slice(indexOf(SQL, 2, 3))).toMatch(/^nett/);
  expect(indexOf(SQL, 1, 99)).toBe(6);
  expect(indexOf(SQL, 99, 1)).toBe(SQL.length);
});

it('marks the word at the place', () => {
  const { from, to } = markRange(SQL, { line: 2, column: 3, message: '' });
  expect(SQL.slice(from, to)).toBe('nett');
  const sign = markRange(SQL, { line: 2, column: 7, message: '' });
  expect(SQL.slice(sign.from, sign.to)).toBe(',');
});

describe('markedParts', () => {
  it('cuts the text at the marks and gives it back whole', () => {
    const parts = markedParts(SQL, [
      { line: 3, column: 3, message: 'b' },
      { line: 2, column: 3, message: 'a' },
    ]);
    expect(parts.map((part) => part.text).join('')).toBe(SQL);
    expect(parts.filter((part) => part.mark).map((part) => part.text)).toEqual(['nett', 'tax']);
  });

  it('shows a mark past the end of a line or of the text', () => {
    const line = markedParts('ab\ncd', [{ line: 1, column: 9, message: '' }]);
    expect(line.map((part) => part.text)).toEqual(['ab', ' ', '\ncd']);
    const end = markedParts('ab', [{ line: 4, column: 1, message: '' }]);
    expect(end.map((part) => part.text)).toEqual(['ab', ' ']);
  });
});

describe('indented', () => {
  it('moves every line of the selection in and out again', () => {
    const into = indented(SQL, 9, 20, false);
    expect(into.text).toBe('select\n    nett,\n    tax\nfrom source');
    const back = indented(into.text, into.from, into.to, true);
    expect(back).toEqual({ text: SQL, from: 9, to: 20 });
  });
  it('moves one line without a selection and never past its start', () => {
    expect(indented('  a', 0, 0, true)).toEqual({ text: 'a', from: 0, to: 0 });
    expect(indented('a', 1, 1, true)).toEqual({ text: 'a', from: 1, to: 1 });
  });
});

it('a new line keeps the indentation', () => {
  expect(brokenLine('  a', 3, 3)).toEqual({ text: '  a\n  ', from: 6, to: 6 });
  expect(brokenLine('  ab', 3, 4)).toEqual({ text: '  a\n  ', from: 6, to: 6 });
});
