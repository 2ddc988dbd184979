import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvCutter, csvFields, type Dialect } from '@/lib/cli/import/csv';
import { MAX_RECORD_BYTES, readFrames, UnreadableInput } from '@/lib/cli/import/frames';

const dialect: Dialect = { delimiter: ',', quote: '"' };

async function* chunked(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Line, fields and problem of every record, read in chunks of so many bytes. */
async function read(text: string | Buffer, size = 1 << 16, using = dialect) {
  const bytes = Buffer.from(text);
  const found: { line: number; fields: string[] | null; problem?: string }[] = [];
  for await (const { frames } of readFrames(chunked(bytes, size), csvCutter(using))) {
    for (const { line, bytes: raw, problem } of frames) {
      const text = raw.toString('utf8');
      if (problem === undefined) found.push({ line, fields: csvFields(text, using) });
      else found.push({ line, fields: null, problem });
    }
  }
  return found;
}

describe('reading CSV', () => {
  it('keeps quotes, commas, blanks and line ends of quoted fields', async () => {
    const text = 'a,b\n" x ,""y"" ",2\r\n"two\r\nlines",\n  blanks  ,"",\n';
    expect(await read(text)).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: [' x ,"y" ', '2'] },
      { line: 3, fields: ['two\r\nlines', ''] },
      { line: 5, fields: ['  blanks  ', '', ''] },
    ]);
  });

  it('reads a last line without an end, and one that ends in CR alone', async () => {
    expect(await read('a,b\n1,2')).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: ['1', '2'] },
    ]);
    expect((await read('a\n"x"\r')).at(-1)).toEqual({ line: 2, fields: ['x'] });
    expect((await read('a\n"x"')).at(-1)).toEqual({ line: 2, fields: ['x'] });
  });

  it('gives one bad line for a broken quote, and reads on behind it', async () => {
    const why = 'text follows a closing quote';
    expect(await read('a,b\n"x"y,1\nq,2\nr,3\n')).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: null, problem: why },
      { line: 3, fields: ['q', '2'] },
      { line: 4, fields: ['r', '3'] },
    ]);
    const inside = await read('a,b\nx"y,1\nq,2\n');
    expect(inside[1]?.problem).toBe('a quote stands inside a field that is not quoted');
    expect(inside[2]).toEqual({ line: 3, fields: ['q', '2'] });
  });

  it('does not let a quote that is never closed take the rest of the file', async () => {
    const found = await read('a,b\n"open,1\nq,2\nr,3\n');
    expect(found[1]).toEqual({
      line: 2,
      fields: null,
      problem: 'a quote is opened here and never closed',
    });
    expect(found.slice(2)).toEqual([
      { line: 3, fields: ['q', '2'] },
      { line: 4, fields: ['r', '3'] },
    ]);
  });

  it('gives up on a record without end, in the same place whatever the chunks are', async () => {
    const long = 'x'.repeat(MAX_RECORD_BYTES);
    const text = `a,b\n"${long}\n${long}",1\nq,2\n`;
    const one = await read(text, 1 << 20);
    expect(one.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    expect(one[1]?.problem).toContain('has no end within');
    expect(one[3]).toEqual({ line: 4, fields: ['q', '2'] });
    expect(await read(text, 999_983)).toEqual(one);
  });

  it('refuses a lone carriage return outside quotes', async () => {
    expect((await read('a,b\rc,d\n'))[0]?.fields).toBeNull();
    expect((await read('"q",b\rc\n'))[0]?.fields).toBeNull();
  });

  it('skips a byte order mark, and knows UTF-16', async () => {
    expect((await read('\ufeffa,b\n'))[0]?.fields).toEqual(['a', 'b']);
    await expect(read(Buffer.from('\ufeffa,b', 'utf16le'))).rejects.toThrow(UnreadableInput);
  });

  it('takes another delimiter, and no quotes where the mapping says so', async () => {
    const plain = { delimiter: '\t', quote: null };
    expect(await read('a\t5" pipe\n', 8, plain)).toEqual([{ line: 1, fields: ['a', '5" pipe'] }]);
  });

  it('agrees with csv-parse on what is well formed, whatever the chunks are', async () => {
    const field = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', ' ', 'é', '𝄞') }),
      fc.string(),
    );
    const rows = fc.integer({ min: 2, max: 5 }).chain((width) =>
      fc.array(fc.array(field, { minLength: width, maxLength: width }), {
        minLength: 1,
        maxLength: 8,
      }),
    );
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 40 }), async (table, size) => {
        const quoted = (text: string) =>
          /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const text = table.map((row) => `${row.map(quoted).join(',')}\n`).join('');
        const expected = parse(text, { record_delimiter: '\n', bom: true }) as string[][];
        expect((await read(text, size)).map(({ fields }) => fields)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('gives every line of any bytes to some record, the same for all chunk sizes', async () => {
    const piece = fc.constantFrom('a', '"', ',', '\n', '\r', '""', 'x"\n', '\n"', ' ');
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        async (pieces, size) => {
          const text = pieces.join('');
          const whole = await read(text, 1 << 16);
          expect(await read(text, size)).toEqual(whole);
          const lines = whole.map(({ line }) => line);
          expect(lines).toEqual([...new Set(lines)].sort((a, b) => a - b));
        },
      ),
      { numRuns: 500 },
    );
  });
});
