/** One row of the table of faults in `docs/faults.md`. */
export interface Fault {
  readonly fault: string;
  readonly outcome: string;
  /** Path of its test from the root. */
  readonly file: string;
}

/** The table under the heading "Faults". */
export function faultsOf(page: string): Fault[] {
  const [, section = ''] = page.split(/^## .*$/m);
  return section.split('\n').flatMap((line) => {
    const cells = /^\| (.+?) \| (.+?) \| \[.+?\]\(\.\.\/(lib\/faults\/[^)]+)\) \|$/.exec(line);
    return cells ? [{ fault: cells[1] ?? '', outcome: cells[2] ?? '', file: cells[3] ?? '' }] : [];
  });
}

/** Every file that the page links to, from the root. */
export function linksOf(page: string): string[] {
  return [...page.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map((match) => match[1] ?? '');
}
