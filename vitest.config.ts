import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));
const shared = {
  root,
  resolve: { alias: { '@': root.replace(/\/$/, '') } },
};
const outside = ['**/node_modules/**', '.next/**', '.interlock/**', 'e2e/**'];

export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'pure',
          include: ['**/*.test.{ts,tsx}'],
          exclude: [...outside, '**/*.db.test.ts'],
          environment: 'node',
        },
      },
      {
        ...shared,
        test: {
          name: 'db',
          include: ['**/*.db.test.ts'],
          exclude: outside,
          environment: 'node',
          globalSetup: ['lib/testing/template.ts'],
          // a guard against hanging alone: a slow machine is no failure
          testTimeout: 600_000,
          hookTimeout: 300_000,
          // Two cores carry PostgreSQL and the tests; more files at once only lengthen every wait.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
