const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A length of time exactly: `1 d 12 h`, `90 s` as `1 min 30 s`, `0 s`. */
export function exactDuration(seconds: number): string {
  let rest = seconds;
  const parts = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? [`${count} ${unit}`] : [];
  });
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/** Reads `1 d 12 h`, `90 min`, `36h`; null where it is no length of time. */
export function readDuration(text: string): number | null {
  const parts = text.trim().match(/\d+\s*(d|h|min|s)\b/g) ?? [];
  if (parts.length === 0 || parts.join('').replace(/\s/g, '') !== text.replace(/\s/g, '')) {
    return null;
  }
  return parts.reduce((sum, part) => {
    const unit = UNITS.find(
      ([name]) => part.endsWith(name) && /\d\s*$/.test(part.slice(0, -name.length)),
    );
    return sum + Number.parseInt(part, 10) * (unit?.[1] ?? 0);
  }, 0);
}
