import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { permissionsPage } from '@/lib/web/permissions-page';

it('docs/permissions.md says what the table says', () => {
  expect(readFileSync(new URL('../../docs/permissions.md', import.meta.url), 'utf8')).toBe(
    permissionsPage(),
  );
});
