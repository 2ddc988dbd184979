import type { Metadata } from 'next';
import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { Panel } from '@/components/ui/panel';
import { may } from '@/lib/domain/permissions';
import { type DraftDataset, draftDatasets, draftSpec } from '@/lib/queries/draft';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { NoAccess, orNotFound } from '../../../_parts/access';
import { type Search, said } from '../../../_parts/search';
import { DraftEditor } from '../draft-editor';
import { type DraftForm, emptyForm, formOf } from '../draft-form';
import { DraftFrame } from '../draft-page';
import { RejectionNote } from '../rejection-note';

export const metadata: Metadata = { title: 'New release' };

/** A release that is not kept yet: empty, or with the fields of the revision before it. */
export default async function NewRelease({ searchParams }: { searchParams: Promise<Search> }) {
  const from = said(await searchParams, 'from') ?? null;
  const actor = await signedIn(
    from === null ? '/releases/new' : `/releases/new?from=${encodeURIComponent(from)}`,
  );
  const crumbs = [{ label: from === null ? 'New' : `Next revision of ${from}` }];
  if (!may(actor.roles, 'release.create')) {
    return (
      <DraftFrame crumbs={crumbs}>
        <Panel label="New release">
          <h1 className="sr">New release</h1>
          <NoAccess actor={actor} verb="release.create" what="Only owners draft releases." />
        </Panel>
      </DraftFrame>
    );
  }
  const datasets = await draftDatasets(webDatabase());
  const initial = await formFrom(from, datasets, actor.person);
  const zone = datasets.find(({ name }) => name === initial.dataset)?.zone ?? 'UTC';
  return (
    <DraftFrame crumbs={crumbs}>
      {datasets.length === 0 ? (
        <Panel label="New release">
          <h1 className="sr">New release</h1>
          <Empty
            title="There is no dataset to make a release for."
            action={
              <ButtonLink size="sm" href="/datasets">
                Datasets
              </ButtonLink>
            }
          >
            An admin declares datasets, over the API or the command line.
          </Empty>
        </Panel>
      ) : (
        <DraftEditor
          // another revision to begin from is another form
          key={from ?? 'new'}
          datasets={datasets}
          initial={initial}
          kept={null}
          from={from}
          person={actor.person}
          mayPin={false}
          note={from !== null && <RejectionNote before={from} zone={zone} />}
        />
      )}
    </DraftFrame>
  );
}

async function formFrom(
  from: string | null,
  datasets: readonly DraftDataset[],
  owner: string,
): Promise<DraftForm> {
  if (from === null) return emptyForm(datasets[0], owner);
  const before = await orNotFound(draftSpec(webDatabase(), from));
  const dataset = datasets.find(({ name }) => name === before.dataset);
  if (!dataset) return emptyForm(datasets[0], owner);
  const form = formOf(before.spec, dataset, {
    name: before.name,
    owner,
    sql: before.newSql,
    commit: before.commit,
  });
  // a generation's name is never used twice, and a deadline that was is seldom one that will be
  return { ...form, owner, targetGeneration: '', deadline: '' };
}
