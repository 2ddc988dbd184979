/** Why a transform or an expression is refused. */
export type ProblemCode =
  | 'TRANSFORM_INVALID'
  | 'TRANSFORM_NOT_DETERMINISTIC'
  | 'TRANSFORM_NOT_ROW_WISE';

export interface Problem {
  readonly code: ProblemCode;
  /** One sentence for the author, without the position. */
  readonly message: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in characters (code points), not bytes. */
  readonly column: number;
}

export const INVALID = 'TRANSFORM_INVALID';
export const NOT_DETERMINISTIC = 'TRANSFORM_NOT_DETERMINISTIC';
export const NOT_ROW_WISE = 'TRANSFORM_NOT_ROW_WISE';

/** A text that is wrong all over is told so often enough. */
const MAX_PROBLEMS = 50;

/** Collects problems of one text, whose positions the parser gives as offsets. */
export class Problems {
  readonly #text: string;
  readonly #skip: number;
  readonly #found: { problem: Problem; at: number }[] = [];

  /** `skip`: how many characters (all ASCII) were put in front of the author's text to parse it. */
  constructor(text: string, skip = 0) {
    this.#text = text;
    this.#skip = skip;
  }

  get any(): boolean {
    return this.#found.length > 0;
  }

  get count(): number {
    return this.#found.length;
  }

  /** Notes a problem at a byte offset of the tree; a node without one stands at the beginning. */
  add(code: ProblemCode, message: string, byteOffset: number | undefined): void {
    if (this.count >= MAX_PROBLEMS) return;
    const bytes = Buffer.from(this.#text, 'utf8').subarray(0, Math.max(0, byteOffset ?? 0));
    this.addAtCharacter(code, message, [...bytes.toString('utf8')].length);
  }

  /** Notes a problem at an offset in characters, as syntax errors have. */
  addAtCharacter(code: ProblemCode, message: string, offset: number): void {
    if (this.count >= MAX_PROBLEMS) return;
    const before = [...this.#text].slice(this.#skip, Math.max(offset, this.#skip));
    const lastBreak = before.lastIndexOf('\n');
    const problem: Problem = {
      code,
      message,
      line: before.filter((character) => character === '\n').length + 1,
      column: before.length - lastBreak,
    };
    const same = this.#found.some(
      (other) => other.at === before.length && other.problem.message === message,
    );
    if (!same) this.#found.push({ problem, at: before.length });
  }

  /** In order of position. */
  list(): Problem[] {
    return this.#found.toSorted((a, b) => a.at - b.at).map(({ problem }) => problem);
  }
}
