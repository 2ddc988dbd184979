import * as fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What PostgreSQL answers with the start of the transaction, also after a long wait for a lock. */
const frozen = /\b(now|transaction_timestamp)\(\)|\bcurrent_timestamp\b|\blocaltimestamp\b/i;

function* sources(folder: string): Generator<string> {
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* sources(name);
    else if (/[.](ts|sql)$/.test(name) && !name.includes('.test.')) yield name;
  }
}

const withoutComments = (line: string) => line.replace(/(^|\s)(\/\/|--|\*|\/\*\*).*$/, '');

it('no statement goes by the clock of its transaction’s start', () => {
  const found = ['lib/db', 'lib/services', 'lib/queries', 'lib/runner', 'drizzle']
    .flatMap((folder) => [...sources(folder)])
    .flatMap((file) =>
      fs
        .readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .map((line, i) => [`${file}:${i + 1}`, withoutComments(line)] as const)
        .filter(([, line]) => frozen.test(line.replace(/Date\.now\(\)/g, ''))),
    );
  expect(found).toEqual([]);
});
