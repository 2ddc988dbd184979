/** What the contract of the range runner says an exit code means; 1 is everything else. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  noStore: 3,
  denied: 4,
  skipped: 5,
  notSealed: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command was not carried out, and nothing was changed. The message is for people. */
export class RangeFault extends Error {
  override readonly name = 'RangeFault';

  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failure,
  ) {
    super(message);
  }
}
