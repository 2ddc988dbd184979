import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TERMS } from './terms';

const glossary = readFileSync(new URL('../../docs/glossary.md', import.meta.url), 'utf8');

it.each(Object.entries(TERMS))(
  '%s means in the console what the glossary says',
  (term, meaning) => {
    const line = glossary.split('\n').find((row) => row.startsWith(`| ${term} |`));
    expect(line?.split('|')[2]?.trim().replaceAll('`', '')).toBe(meaning);
  },
);
