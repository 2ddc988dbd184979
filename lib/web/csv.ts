/**
 * One line of CSV (RFC 4180, CRLF). NULL is an empty field, an empty text is `""`. A text that a
 * spreadsheet would run as a formula gets an apostrophe before it; numbers stay as they are.
 */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

const NUMBER = /^[+-]?(\d+(\.\d+)?(e[+-]?\d+)?|Infinity)$/i;

function field(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return safe === '' || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * A download that is written while it is read: nothing is kept in memory but one part.
 *
 * @param parts yields the text piece by piece
 */
export function download(
  name: string,
  type: 'text/csv' | 'application/x-ndjson' | 'application/json',
  parts: AsyncGenerator<string>,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name.replace(/[^\w.@-]/g, '_')}"`,
      'x-content-type-options': 'nosniff',
    },
  });
}
