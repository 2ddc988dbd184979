import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { DigestChip } from '@/components/ui/digest-chip';
import { Empty } from '@/components/ui/empty';
import { Facts } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import { PrintButton } from '@/components/ui/print-button';
import { Term } from '@/components/ui/term';
import type { Blocker } from '@/lib/domain/refusal';
import type { ApprovalPage, EvidenceParts } from '@/lib/queries/approval-view';
import type { Can } from '../../../_parts/access';
import { When } from '../../../_parts/when';
import { SealedClock } from './sealed-clock';
import { SignForm } from './sign-form';
import { Signatures } from './signatures';

/** What is signed, who has and who may, and the form to sign it. */
export function Evidence({
  page,
  you,
  can,
  blockers,
}: {
  page: ApprovalPage;
  you: string;
  can: Can<'release.approve' | 'release.sign-rollback' | 'release.reject'>;
  blockers: { cutover: Blocker[]; rollback: Blocker[] };
}) {
  const { evidence } = page;
  return (
    <Panel
      title={<Term name="evidence" />}
      aside={
        evidence ? (
          <>
            <StateBadge look={{ label: 'current', hue: 'ok', icon: 'ok' }} />
            <PrintButton size="sm" />
          </>
        ) : (
          <StateBadge flag="waiting">none</StateBadge>
        )
      }
    >
      {evidence ? (
        <>
          <DigestChip value={evidence.digest} big />
          <Covers parts={evidence.parts} page={page} at={evidence.at} />
        </>
      ) : (
        <Empty title="No evidence stands.">
          A signature is on the digest of the evidence at the barrier. There is none now, so nobody
          can sign.
        </Empty>
      )}
      {page.rejection && (
        <div className="sub">
          <Note
            tone="bad"
            title={`Rejected by ${page.rejection.by}.`}
            action={
              page.laterRevision !== null && (
                <Link className="btn sm" href={`/releases/${page.laterRevision}`}>
                  To {page.laterRevision}
                </Link>
              )
            }
          >
            {page.rejection.comment ?? 'No comment was kept.'}
          </Note>
        </div>
      )}
      <Signatures page={page} you={you} />
      {page.sealedByThis && page.sealedSeconds !== null && page.sealedUntil !== null && (
        <div className="sub">
          <SealedClock
            seconds={page.sealedSeconds}
            limit={page.sealedLimitSeconds ?? 0}
            zone={page.zone}
            until={page.sealedUntil}
          />
        </div>
      )}
      <SignForm
        page={{
          release: page.release,
          version: page.version,
          now: page.now,
          state: page.state,
          generation: page.generation ?? 'the candidate',
          executors: page.executors,
          rollbackWindowSeconds: page.rollbackWindowSeconds,
          rollbackNeeded: (page.needed.rollback ?? 0) > page.standing.rollback,
        }}
        evidence={evidence?.digest ?? null}
        can={can}
        blockers={blockers}
        signed={{
          cutover: page.signatures.some(
            (s) => s.standing && s.kind === 'cutover' && s.person === you,
          ),
          rollback: page.signatures.some(
            (s) => s.standing && s.kind === 'rollback' && s.person === you,
          ),
        }}
      />
    </Panel>
  );
}

/** The parts that the digest stands for: if one of them moves, it is another digest. */
function Covers({ parts, page, at }: { parts: EvidenceParts; page: ApprovalPage; at: string }) {
  const sum = parts.barrier.reduce((all, offset) => all + BigInt(offset), 0n);
  return (
    <details className="covers" open>
      <summary className="s m">
        covers 6 facts, {countText(parts.checks.length, 'check')},{' '}
        {countText(Object.keys(parts.gates).length, 'limit')},{' '}
        {countText(parts.acceptances.length, 'acceptance')}
      </summary>
      <div className="s">
        <Facts
          items={[
            { term: 'Release', value: <DigestChip value={parts.release} /> },
            { term: 'Generation', value: <span className="mono">{parts.generation}</span> },
            {
              term: 'Expected old',
              value: <span className="mono">{parts.expectedOldGeneration}</span>,
            },
            {
              term: 'Epoch, barrier',
              value: `${parts.epoch}, Σ ${figureText(sum)} over ${parts.barrier.length} shards`,
            },
            { term: 'Manifest root', value: <DigestChip value={parts.manifestRoot} /> },
            { term: 'Catch-up root', value: <DigestChip value={parts.catchUpRoot} /> },
            {
              term: 'Quarantine',
              value: countText(Number(parts.quarantine.count), 'event'),
            },
            ...(parts.sealedPartitions === undefined || parts.sealedPartitions.length === 0
              ? []
              : [
                  {
                    term: 'Sealed',
                    value: countText(parts.sealedPartitions.length, 'published partition'),
                  },
                ]),
            ...parts.acceptances.map((a, n) => ({
              term: `Accepted ${n + 1}`,
              value: (
                <>
                  {figureText(a.count)} of {a.what}, by {a.person}: {a.reason}{' '}
                  <DigestChip value={a.digest} />
                </>
              ),
            })),
            { term: 'Written', value: <When zone={page.zone} at={at} /> },
          ]}
        />
      </div>
    </details>
  );
}
