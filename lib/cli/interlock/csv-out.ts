/** A value as one CSV field: NULL is empty, an empty text is `""`, so that the two differ. */
function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One CSV record with its line end. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvField).join(',')}\n`;
}
