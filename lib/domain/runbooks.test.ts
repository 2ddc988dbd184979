import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TROUBLES } from './trouble';

const folder = new URL('../../docs/runbooks/', import.meta.url);

it('each way into RECONCILIATION_REQUIRED has a runbook, and each runbook its way in', () => {
  const pages = readdirSync(folder).filter((name) => name !== 'README.md');
  expect(pages.sort()).toEqual(TROUBLES.map(({ page }) => `${page}.md`).sort());
  const index = readFileSync(new URL('README.md', folder), 'utf8');
  for (const { step, code, page } of TROUBLES) {
    expect(readFileSync(new URL(`${page}.md`, folder), 'utf8')).toMatch(
      new RegExp(`^# ${step}: ${code}$`, 'm'),
    );
    expect(index).toContain(`| ${step} | ${code} | [${page}](${page}.md) |`);
  }
});
