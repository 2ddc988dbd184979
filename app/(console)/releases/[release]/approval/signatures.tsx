import { type Step, Steps } from '@/components/release/steps';
import { DigestChip } from '@/components/ui/digest-chip';
import type { ApprovalPage, SignatureEntry } from '@/lib/queries/approval-view';
import { signedText } from '../../../_parts/signed-text';
import { TimeOfDay, timeText } from '../../../_parts/when';

/** Who has signed and who may; signatures that do not count any more stay visible as void. */
export function Signatures({ page, you }: { page: ApprovalPage; you: string }) {
  return (
    <>
      <Kind page={page} you={you} kind="cutover" title="Signatures for the cutover" />
      <Kind page={page} you={you} kind="rollback" title="Signatures for the rollback" />
      <p className="s m after-steps">{whoMayNot(page)}</p>
    </>
  );
}

function Kind({
  page,
  you,
  kind,
  title,
}: {
  page: ApprovalPage;
  you: string;
  kind: 'cutover' | 'rollback';
  title: string;
}) {
  const given = page.signatures.filter((s) => s.kind === kind);
  const steps = [
    ...given.filter((s) => s.standing).map((s) => standingStep(page, s, you)),
    ...mayStill(page, kind, you),
    ...given.filter((s) => !s.standing).map((s) => voidStep(page, s)),
  ];
  return (
    <div className="sub">
      <h3>
        {title}, {signedText(page.standing[kind], page.needed[kind] ?? 0)}
      </h3>
      {steps.length === 0 ? (
        <p className="s m">Nobody has signed.</p>
      ) : (
        <Steps label={title} steps={steps} />
      )}
    </div>
  );
}

const name = (person: string, you: string) => (
  <>
    <b>{person}</b>
    {person === you && ', you,'} signed
  </>
);

function standingStep(page: ApprovalPage, s: SignatureEntry, you: string): Step {
  return {
    name: `${s.kind} ${s.person} ${s.at}`,
    phase: 'done',
    title: name(s.person, you),
    time: <TimeOfDay zone={page.zone} at={s.at} />,
    note: s.statement ? `“${s.statement}”` : 'this evidence',
  };
}

const VOID: Record<NonNullable<SignatureEntry['void']>, string> = {
  EVIDENCE_MOVED: 'the evidence moved',
  ROLE_LOST: 'no approver any more',
  SELF_APPROVAL: 'an author of the release by now',
  REJECTION: 'rejected it',
};

const BY: Record<string, string> = {
  'release.reopen': 'ingress was reopened',
  'release.trouble': 'reconciliation was required',
  'release.reject': 'the release was rejected',
  'release.abandon': 'the release was abandoned',
  'release.reconciled': 'it was reconciled anew',
};

function voidStep(page: ApprovalPage, s: SignatureEntry): Step {
  const why = s.void === null ? '' : VOID[s.void];
  const rejected = s.void === 'REJECTION';
  return {
    name: `${s.kind} ${s.person} ${s.at}`,
    phase: rejected ? 'failed' : 'void',
    title: rejected ? (
      <>
        <b>{s.person}</b> rejected
      </>
    ) : (
      `${s.person} signed`
    ),
    time: <TimeOfDay zone={page.zone} at={s.at} />,
    note: rejected ? (
      s.statement
    ) : (
      <>
        void{s.voidSince && ` since ${timeText(page.zone, s.voidSince)}`}:{' '}
        {(s.voidBy && BY[s.voidBy] && `${BY[s.voidBy]}, `) || ''}
        {why} <DigestChip value={s.digest} struck />
      </>
    ),
  };
}

/** Approvers who have not signed and may; nobody where enough have, or nothing can be signed. */
function mayStill(page: ApprovalPage, kind: 'cutover' | 'rollback', you: string): Step[] {
  const open = page.evidence !== null && page.standing[kind] < (page.needed[kind] ?? 0);
  if (!open) return [];
  const signed = new Set(
    page.signatures.filter((s) => s.standing && s.kind === kind).map((s) => s.person),
  );
  return page.approvers
    .filter((a) => a.author === null && !signed.has(a.person))
    .sort((a, b) => Number(b.person === you) - Number(a.person === you))
    .map(
      (a): Step => ({
        name: `${kind} ${a.person} may`,
        phase: a.person === you ? 'now' : 'next',
        title:
          a.person === you ? (
            <>
              <b>{a.person}</b>, you
            </>
          ) : (
            a.person
          ),
        time: a.person === you ? 'not yet' : 'may sign',
      }),
    );
}

function whoMayNot(page: ApprovalPage): string {
  const authors = page.authors.map((author) => author.person);
  const signers = new Set(page.signatures.filter((s) => s.standing).map((s) => s.person));
  const executors = page.executors.filter((person) => !signers.has(person));
  return [
    authors.length === 0
      ? ''
      : `${authors.join(', ')} may not sign: ${authors.length === 1 ? 'an author' : 'authors'} of this release.`,
    page.executorMayApprove
      ? 'Who signs may also execute.'
      : `Who signs may not execute${executors.length === 0 ? '' : `; ${executors.join(', ')} may`}.`,
  ].join(' ');
}
