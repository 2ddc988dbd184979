import type { Metadata } from 'next';
import { notFound, redirect } from 'next/navigation';
import { Panel } from '@/components/ui/panel';
import { may } from '@/lib/domain/permissions';
import { draftDatasets, draftSpec } from '@/lib/queries/draft';
import { releaseStamp } from '@/lib/queries/stamp';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { NoAccess, orNotFound } from '../../../../_parts/access';
import { LiveRefresh } from '../../../../live-refresh';
import { asOf } from '../../../../times';
import { DraftEditor } from '../../draft-editor';
import { formOf, savedText } from '../../draft-form';
import { DraftFrame } from '../../draft-page';
import { RejectionNote } from '../../rejection-note';

interface Props {
  params: Promise<{ release: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `${decodedPart((await params).release)}, draft` };
}

/** A draft that is kept. Once it is pinned there is nothing to edit: its page takes over. */
export default async function EditDraft({ params }: Props) {
  const reference = decodedPart((await params).release);
  const actor = await signedIn(`/releases/${reference}/edit`);
  if (!may(actor.roles, 'release.read')) notFound();
  const db = webDatabase();
  const draft = await orNotFound(draftSpec(db, reference));
  if (draft.state !== 'DRAFT') redirect(`/releases/${reference}`);
  const { stamp } = await releaseStamp(db, reference);
  const datasets = await draftDatasets(db);
  const dataset = datasets.find(({ name }) => name === draft.dataset);
  const read = asOf(dataset?.zone ?? 'UTC', draft.now);
  const crumbs = [
    { label: draft.dataset, href: `/datasets/${draft.dataset}` },
    { label: draft.release, href: `/releases/${draft.release}` },
    { label: 'Edit' },
  ];
  if (!dataset || !may(actor.roles, 'release.edit')) {
    return (
      <DraftFrame crumbs={crumbs} asOf={read}>
        <Panel label="Draft">
          <h1 className="sr">{draft.release}</h1>
          <NoAccess
            actor={actor}
            verb="release.edit"
            what="Only owners edit drafts. Everybody reads them on the release’s own page."
          />
        </Panel>
      </DraftFrame>
    );
  }
  return (
    <DraftFrame crumbs={crumbs} asOf={read}>
      <LiveRefresh
        url={`/live/stamp?${new URLSearchParams({ release: reference, zone: dataset.zone })}`}
        stamp={stamp}
        asOf={read}
      />
      <DraftEditor
        key={reference}
        datasets={datasets}
        initial={formOf(draft.spec, dataset, {
          name: draft.name,
          owner: actor.person,
          sql: draft.newSql,
          commit: draft.commit,
        })}
        kept={{
          release: draft.release,
          version: draft.version,
          saved: `saved by ${draft.savedBy}, ${savedText(dataset.zone, draft.savedAt)}`,
          at: draft.now,
        }}
        from={draft.before}
        person={actor.person}
        mayPin={may(actor.roles, 'release.pin')}
        note={draft.before !== null && <RejectionNote before={draft.before} zone={dataset.zone} />}
      />
    </DraftFrame>
  );
}
