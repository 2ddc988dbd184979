/**
 * What was done, as the rest of a sentence that begins with who did it: `dee` … `sealed ingress for
 * vat-fix@3`. For lists of moves; the audit chain keeps the verb itself.
 */
const DONE: Record<string, (subject: string) => string> = {
  'release.create': (s) => `drafted ${s}`,
  'release.edit': (s) => `edited ${s}`,
  'release.pin': (s) => `pinned ${s}`,
  'release.build': (s) => `started the build of ${s}`,
  'release.rehearse': (s) => `asked for a rehearsal of ${s}`,
  'release.shadow': (s) => `had reports of ${s} read in shadow`,
  'release.drill': (s) => `asked for a drill of ${s}`,
  'release.drill-ended': (s) => `ended a drill of ${s}`,
  'release.accept': (s) => `accepted differences of ${s} by name`,
  'release.seal': (s) => `sealed ingress for ${s}`,
  'release.reopen': (s) => `reopened ingress, ${s} fell back to building`,
  'release.caught-up': (s) => `caught ${s} up to the barrier`,
  'release.reconciled': (s) => `reconciled ${s}`,
  'release.trouble': (s) => `stopped ${s}: reconciliation is required`,
  'release.approve': (s) => `signed the cutover of ${s}`,
  'release.sign-rollback': (s) => `signed the rollback of ${s}`,
  'release.reject': (s) => `rejected ${s}`,
  'release.activate': (s) => `cut over to ${s}`,
  'release.rollback': (s) => `asked for the rollback of ${s}`,
  'release.rolled-back': (s) => `rolled ${s} back`,
  'release.rollback-failed': (s) => `could not roll ${s} back`,
  'release.call-off': (s) => `called the rollback of ${s} off`,
  'release.abandon': (s) => `abandoned ${s}`,
  'release.pause': (s) => `paused ${s}`,
  'release.resume': (s) => `resumed ${s}`,
  'release.hold': (s) => `held ${s}`,
  'release.unhold': (s) => `lifted the hold of ${s}`,
  'release.retry': (s) => `had ${s} tried again`,
  'release.limits': (s) => `changed the limits of ${s}`,
  'generation.retire': (s) => `retired ${s}`,
  'dataset.apply': (s) => `declared ${s}`,
  'dataset.claim': (s) => `claimed partitions of ${s}`,
  'dataset.release-claims': (s) => `let go of claims on ${s}`,
  'dataset.run': (s) => `moved ${s} on`,
  'dataset.confirm-run': (s) => `confirmed ${s} as the second person`,
  'dataset.publish': (s) => `published figures of ${s}`,
  'dataset.amend': (s) => `recorded a correction of ${s}`,
  'dataset.mark-contaminated': (s) => `marked a range of ${s} as contaminated`,
  'dataset.link-contamination': (s) => `linked ${s} to the release that repairs it`,
  'dataset.lift-contamination': (s) => `lifted ${s} by hand`,
  'report.save': (s) => `saved a report of ${s}`,
  'report.end': (s) => `ended ${s}`,
  'source.apply': (s) => `declared the source ${s}`,
  'people.write': (s) => `changed the roles of ${s}`,
  'token.create': (s) => `made a token for ${s}`,
  'token.revoke': (s) => `ended a token of ${s}`,
};

/** `sealed ingress for vat-fix@3`; a verb without words of its own is named. */
export function didWords(verb: string, subject: string): string {
  return DONE[verb]?.(subject) ?? `did ${verb} to ${subject}`;
}

/** `was refused: approve vat-fix@3`. */
export function refusedWords(verb: string, subject: string): string {
  return `was refused: ${verb.replace(/^release\./, '')} ${subject}`.trimEnd();
}
