import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnreadableInput } from '@/lib/cli/import/frames';
import { findInputs, readUnpacked } from '@/lib/cli/import/inputs';
import { MappingError } from '@/lib/cli/import/mapping';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'inputs-'));
});
afterEach(() => rm(folder, { recursive: true }));

const put = async (name: string, content: string | Buffer = '') => {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
};

async function unpacked(file: string): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of readUnpacked(file)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('finding inputs', () => {
  it('enters folders in byte order, and names what it leaves out', async () => {
    for (const name of [
      'b.csv.gz',
      'B.csv',
      'a/z.jsonl',
      'a/readme.md',
      '.hidden.csv',
      '10.csv',
      '9.csv',
    ]) {
      await put(name);
    }
    const { files, leftOut } = await findInputs([folder], undefined);
    expect(files.map((file) => [path.relative(folder, file.path), file.name, file.format])).toEqual(
      [
        ['10.csv', '10.csv', 'csv'],
        ['9.csv', '9.csv', 'csv'],
        ['B.csv', 'B.csv', 'csv'],
        ['a/z.jsonl', 'z.jsonl', 'jsonl'],
        ['b.csv.gz', 'b.csv', 'csv'],
      ],
    );
    expect(leftOut.map((file) => path.basename(file))).toEqual(['readme.md']);
  });

  it('takes every file of a folder without known names, if a format is given', async () => {
    await put('part-0');
    await put('part-1');
    expect((await findInputs([folder], 'csv')).files).toHaveLength(2);
    await expect(findInputs([folder], undefined)).rejects.toThrow(/no CSV or JSON Lines file/);
    await expect(findInputs([path.join(folder, 'part-0')], undefined)).rejects.toThrow(/--format/);
  });

  it('takes a file once, however often it is named', async () => {
    const file = await put('a.csv');
    await symlink(file, path.join(folder, 'b.csv'));
    expect((await findInputs([file, folder, file], undefined)).files).toHaveLength(1);
  });

  it('refuses a path that is not there', async () => {
    await expect(findInputs([path.join(folder, 'none.csv')], 'csv')).rejects.toThrow(MappingError);
  });
});

describe('unpacking', () => {
  it('goes by the first bytes, not by the name', async () => {
    expect(await unpacked(await put('packed.csv', gzipSync('a,b\n')))).toBe('a,b\n');
    expect(await unpacked(await put('plain.csv.gz', 'a,b\n'))).toBe('a,b\n');
    expect(await unpacked(await put('empty.csv'))).toBe('');
    expect(await unpacked(await put('two.gz', Buffer.concat([gzipSync('a'), gzipSync('b')])))).toBe(
      'ab',
    );
  });

  it('says where a packed file breaks off', async () => {
    const half = gzipSync('a,b\n'.repeat(9_999)).subarray(0, 40);
    await expect(unpacked(await put('half.gz', half))).rejects.toThrow(UnreadableInput);
  });
});
