import type { Metadata } from 'next';
import Link from 'next/link';
import { Note } from '@/components/ui/note';
import { type Signature, signBlockers } from '@/lib/domain/approval-rules';
import type { Instant } from '@/lib/domain/instant';
import type { ReleaseState } from '@/lib/domain/lifecycle';
import { may } from '@/lib/domain/permissions';
import type { Blocker } from '@/lib/domain/refusal';
import { type ApprovalPage, approvalPage } from '@/lib/queries/approval-view';
import { cutoverMarks } from '@/lib/queries/cutover-marks';
import type { Actor } from '@/lib/services/context';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { canDo, NoAccess, orNotFound } from '../../../_parts/access';
import { ApprovalGates } from './approval-gates';
import { Changes } from './changes';
import { Evidence } from './evidence';
import { compareMetrics } from './metrics';
import { RollbackPlan } from './rollback-plan';
import '../../../_parts/parts.css';

export const metadata: Metadata = { title: 'Approval' };

const ENDED = ['REJECTED', 'ABANDONED'];

export default async function ApprovalTab({ params }: { params: Promise<{ release: string }> }) {
  const release = decodedPart((await params).release);
  const actor = await signedIn(`/releases/${release}/approval`);
  if (!may(actor.roles, 'release.read')) {
    return <NoAccess actor={actor} verb="release.read" what="What is signed, and by whom." />;
  }
  const page = await orNotFound(approvalPage(webDatabase(), release));
  const blockers = {
    cutover: blockersFor(page, actor, 'cutover'),
    rollback: blockersFor(page, actor, 'rollback'),
  };
  const maySign = blockers.cutover.length === 0 || blockers.rollback.length === 0;
  return (
    <>
      <div className="grid side l">
        <div className="stack">
          {page.answers && <Answers page={page} rejection={page.answers} />}
          <Changes
            page={page}
            metrics={await compareMetrics(page)}
            marks={await cutoverMarks(webDatabase(), page.id)}
          />
          <ApprovalGates page={page} />
          {!ENDED.includes(page.state) && <RollbackPlan page={page} />}
        </div>
        <div className="stack">
          <Evidence
            page={page}
            you={actor.person}
            can={canDo(actor, ['release.approve', 'release.sign-rollback', 'release.reject'])}
            blockers={blockers}
          />
        </div>
      </div>
      {page.evidence && maySign && (
        <div className="stick">
          <a className="btn go" href="#your-signature">
            To the signature
          </a>
        </div>
      )}
    </>
  );
}

/** Of a revision that was made because the one before was rejected: what it has to have mended. */
function Answers({
  page,
  rejection,
}: {
  page: ApprovalPage;
  rejection: NonNullable<ApprovalPage['answers']>;
}) {
  return (
    <Note
      tone="wait"
      icon="doc"
      title={`Answers the rejection of ${rejection.release} by ${rejection.by}.`}
      action={
        <Link className="btn sm" href={`/releases/${page.release}/spec#changes`}>
          What changed since
        </Link>
      }
    >
      {rejection.comment ?? 'No comment was kept.'}
    </Note>
  );
}

/** The rules of signing, asked for who looks: the statement that signs asks the same. */
function blockersFor(page: ApprovalPage, actor: Actor, kind: 'cutover' | 'rollback'): Blocker[] {
  return signBlockers({
    kind,
    person: actor.person,
    roles: actor.roles,
    authors: page.authors.map((author) => author.person),
    signatures: page.signatures satisfies readonly Signature[],
    currentDigest: page.evidence?.digest ?? null,
    shownDigest: page.evidence?.digest ?? '',
    state: page.state as ReleaseState,
    held: page.held !== null,
    deadline: page.deadline as Instant | null,
    now: page.now as Instant,
  });
}
