/**
 * Numbers and durations as people read them: thousands with commas, a true minus, money exact to
 * its scale. Everything takes and gives text, so no figure passes through a float.
 */

const MINUS = '−';

/** `−1,234,567.80` of PostgreSQL's `-1234567.80`; anything that is no plain number is left as is. */
export function formatDecimal(text: string): string {
  const match = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  if (match === null) {
    return text === 'Infinity' ? '∞' : text === '-Infinity' ? `${MINUS}∞` : text;
  }
  const [, sign, whole = '', fraction = ''] = match;
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  const zero = !/[1-9]/.test(text);
  return `${sign === '-' && !zero ? MINUS : ''}${grouped}${fraction}`;
}

/** A difference: `+1,234.50`, `−0.20`, and `0.00` without a sign. */
export function formatDelta(text: string): string {
  const figure = formatDecimal(text);
  const unsigned = figure.startsWith(MINUS) || !/[1-9∞]/.test(figure);
  return unsigned ? figure : `+${figure}`;
}

/** A whole number with commas. */
export function formatCount(count: number | bigint): string {
  return formatDecimal(String(count));
}

/** `1 row`, `2,345 rows`, `0 rows`. */
export function plural(count: number | bigint, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 || count === 1n ? one : many}`;
}

/** `263 of 312`. */
export function nOfM(n: number | bigint, m: number | bigint): string {
  return `${formatCount(n)} of ${formatCount(m)}`;
}

/** `1:09`, `15:00`, `1:02:09`: a duration of whole seconds, as on a clock. */
export function formatClock(seconds: number): string {
  const total = Math.max(0, Math.floor(seconds));
  const rest = String(total % 60).padStart(2, '0');
  const minutes = Math.floor(total / 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

/** A length of time in its largest fitting units, two at most: `41 s`, `9 min 5 s`, `2 d 3 h`. */
export function formatDuration(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  for (const [size, unit] of [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${formatCount(count)} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/** `12.3 %` of a share of the whole; `0 %` and `100 %` only when it is exactly that. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '–';
  if (part === 0) return '0 %';
  if (part === whole) return '100 %';
  const tenths = Math.min(999, Math.max(1, Math.round((part / whole) * 1000)));
  return `${Math.floor(tenths / 10)}.${tenths % 10} %`;
}
