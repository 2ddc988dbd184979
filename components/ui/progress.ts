/** Share done, 0 to 1. Nothing to do is done. */
export function fraction(done: number, total: number): number {
  if (total <= 0) return 1;
  return Math.min(1, Math.max(0, done / total));
}

/** Percent for a bar, one decimal; never 100 before all is done. */
export function percent(done: number, total: number): number {
  const share = fraction(done, total) * 100;
  return done < total ? Math.min(99.9, Math.floor(share * 10) / 10) : 100;
}

/** A length of time as people say it: "41 s", "1 min 20 s", "2 h 5 min", "4 d 3 h". */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const pair = (big: number, bigUnit: string, small: number, smallUnit: string) =>
    small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
  if (whole < 3600) return pair(Math.floor(whole / 60), 'min', whole % 60, 's');
  const minutes = Math.round(whole / 60);
  if (minutes < 1440) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** What is left, or nothing: no estimate is shown before 1 %, nor when all is done. */
export function etaText(
  secondsLeft: number | null | undefined,
  done: number,
  total: number,
): string | undefined {
  if (secondsLeft === null || secondsLeft === undefined || !Number.isFinite(secondsLeft)) return;
  if (fraction(done, total) < 0.01 || done >= total) return;
  return `${durationText(secondsLeft)} left`;
}

/** A clock: `mm:ss`, or `m:ss` without the leading zero; past an hour `h:mm:ss`. */
export function clockText(seconds: number, { padded = false } = {}): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (n: number) => n.toString().padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
  return `${padded ? two(minutes) : minutes}:${two(whole % 60)}`;
}

/** The same for a screen reader: "1 minute 26 seconds". */
export function spokenText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60);
  const rest = whole % 60;
  const unit = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  if (minutes === 0) return unit(rest, 'second');
  return rest === 0
    ? unit(minutes, 'minute')
    : `${unit(minutes, 'minute')} ${unit(rest, 'second')}`;
}
