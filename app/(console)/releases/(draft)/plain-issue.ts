import type { Issue } from '@/lib/domain/refusal';

/** The schema's own words for bounds, as a person at a form says them. */
const WORDS: readonly (readonly [form: RegExp, say: (match: RegExpExecArray) => string])[] = [
  [/expected array to have >=1 items?/, () => 'Choose at least one.'],
  [/expected string to have >=1 characters?/, () => 'This is empty.'],
  [/expected string to have <=(\d+) characters?/, ([, most]) => `At most ${most} characters.`],
  [/expected (?:number|int) to be <=(\d+)/, ([, most]) => `At most ${most}.`],
  [/expected (?:number|int) to be >=(\d+)/, ([, least]) => `At least ${least}.`],
];

/** A fault in words for who fills in the form; what has words of its own keeps them. */
export function plainIssue(issue: Issue): Issue {
  for (const [form, say] of WORDS) {
    const match = form.exec(issue.message);
    if (match) return { ...issue, message: say(match) };
  }
  return issue;
}
