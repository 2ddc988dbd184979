import { InvalidArgumentError } from 'commander';
import { readInstant } from '@/lib/domain/instant';
import { readReleaseRef } from '@/lib/domain/names';

/** Parsers of arguments: what they refuse is a usage error, before anything is asked or changed. */

export function releaseRef(text: string): string {
  const read = readReleaseRef(text);
  if (!read.ok) throw new InvalidArgumentError(read.message);
  return text;
}

export function instant(text: string): string {
  const read = readInstant(text);
  if (!read.ok) throw new InvalidArgumentError(read.message);
  return read.value;
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
  };
}

export function digest(text: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(text)) return text;
  throw new InvalidArgumentError('A digest is sha256: and 64 hexadecimal digits.');
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export function oneOf<T extends string>(choices: readonly T[]) {
  return (text: string): T => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) throw new InvalidArgumentError(`It is one of ${choices.join(', ')}.`);
    return found;
  };
}
