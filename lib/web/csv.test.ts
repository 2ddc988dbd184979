import { describe, expect, it } from 'vitest';
import { csvLine, download } from './csv';

describe('csvLine', () => {
  it('tells NULL from an empty text', () => {
    expect(csvLine([null, '', 'a'])).toBe(',"",a\r\n');
  });

  it('quotes what would end a field', () => {
    expect(csvLine(['a,b', 'say "hi"', 'two\nlines'])).toBe('"a,b","say ""hi""","two\nlines"\r\n');
  });

  it('disarms formulas and leaves numbers alone', () => {
    expect(csvLine(['=1+1', '-0.50', '-x', '@sum', 12])).toBe("'=1+1,-0.50,'-x,'@sum,12\r\n");
    expect(csvLine(['-1.5e-07', '-Infinity', '-1e5-A1'])).toBe("-1.5e-07,-Infinity,'-1e5-A1\r\n");
  });

  it('writes objects as JSON', () => {
    expect(csvLine([{ a: 1 }])).toBe('"{""a"":1}"\r\n');
  });
});

describe('download', () => {
  it('streams its parts under a safe name', async () => {
    async function* parts() {
      yield 'a';
      yield 'b';
    }
    const response = download('vat fix/@3.csv', 'text/csv', parts());
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="vat_fix_@3.csv"',
    );
    expect(await response.text()).toBe('ab');
  });
});
