/** U+2212: digits and signs of equal width stay in columns, a hyphen does not. */
const MINUS = '−';

/**
 * An exact decimal as people read it: thousands with commas, a true minus, every digit of the
 * fraction kept. Works on the text, so numerics and ids past 2^53 stay exact. What is not a plain
 * decimal (`NaN`, `Infinity`, `1e9`) comes back as it is.
 * `signed` puts `+` before positive numbers, for differences; zero has no sign.
 */
export function figureText(value: string | number | bigint, { signed = false } = {}): string {
  const text = typeof value === 'string' ? value.trim() : String(value);
  const parts = /^([+-]?)(\d+)(\.\d+)?$/.exec(text);
  if (!parts) return text;
  const [, sign = '', whole = '', fraction = ''] = parts;
  const digits = whole.replace(/^0+(?=\d)/, '');
  const grouped = digits.replace(/\B(?=(\d{3})+$)/g, ',');
  const zero = !/[1-9]/.test(whole + fraction);
  if (zero) return grouped + fraction;
  if (sign === '-') return MINUS + grouped + fraction;
  return (signed ? '+' : '') + grouped + fraction;
}

/** "1 partition", "340 partitions"; `many` where adding an s is wrong. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${figureText(count)} ${count === 1 ? one : many}`;
}

/** A share as it is shown: "99.71 %", "0 %", "< 0.01 %" where rounding would hide that it is there. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0 %';
  const percent = (part / whole) * 100;
  if (percent < 0.01) return '< 0.01 %';
  if (part < whole && percent > 99.99) return '> 99.99 %';
  return percent === 100 ? '100 %' : `${percent.toFixed(2)} %`;
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes in binary units, one decimal under 10: "118 MiB", "1.4 GiB". */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const shown = unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value).toString();
  return `${shown} ${BYTE_UNITS[unit]}`;
}
