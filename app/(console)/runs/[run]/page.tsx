import type { Metadata } from 'next';
import Link from 'next/link';
import { PageTop } from '@/components/shell/page-top';
import { Interval } from '@/components/ui/interval';
import { Note } from '@/components/ui/note';
import { PageHead } from '@/components/ui/page-head';
import { may } from '@/lib/domain/permissions';
import { runPage } from '@/lib/queries/run-page';
import { retriesOf, runDatasets, runStamp } from '@/lib/queries/run-partitions';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { NoAccess, orNotFound } from '../../_parts/access';
import { said } from '../../_parts/search';
import { LiveRefresh } from '../../live-refresh';
import { asOf, ends } from '../../times';
import { RunBadge } from '../run-badge';
import { AnswersPanel } from './answers-panel';
import { leftToDo } from './left-to-do';
import { CancelRun, ConfirmRun, RetryRun } from './moves';
import { OutcomePanel } from './outcome-panel';
import { PartitionsPanel } from './partitions-panel';
import '../../_parts/parts.css';

interface Props {
  params: Promise<{ run: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Run ${decodedPart((await params).run)}` };
}

/** One run: what was asked, what became of each partition, what can be done about the rest. */
export default async function RunPage({ params, searchParams }: Props) {
  const id = decodedPart((await params).run);
  const actor = await signedIn(`/runs/${id}`);
  const crumbs = [{ label: 'Runs', href: '/runs' }, { label: `run ${id}` }];
  if (!may(actor.roles, 'dataset.read')) {
    return (
      <>
        <PageTop crumbs={crumbs} />
        <NoAccess actor={actor} verb="dataset.read" what={`What became of run ${id}.`} />
      </>
    );
  }
  const db = webDatabase();
  const { stamp, now } = await orNotFound(runStamp(db, id));
  const run = await orNotFound(runPage(db, id));
  const found = (await runDatasets(db)).find(({ name }) => name === run.dataset);
  const zone = found?.zone ?? 'UTC';
  const retries = await retriesOf(db, id);
  const read = asOf(zone, now);
  const search = await searchParams;
  const mayRun = may(actor.roles, 'dataset.run');
  const left = leftToDo(run, zone);
  return (
    <>
      <PageTop crumbs={crumbs} asOf={read} />
      <LiveRefresh
        url={`/runs/${id}/live?zone=${encodeURIComponent(zone)}`}
        stamp={stamp}
        asOf={read}
      />
      <PageHead
        title={`Run ${id}`}
        badges={<RunBadge run={run} pill />}
        facts={[
          <span key="dataset">
            of <Link href={`/datasets/${run.dataset}`}>{run.dataset}</Link>
          </span>,
          run.kind === 'scheduled' ? 'by the clock' : `asked for by ${run.by}`,
          `for ${run.owner}`,
          ...(run.retryOf
            ? [
                <span key="again">
                  again after <Link href={`/runs/${run.retryOf}`}>run {run.retryOf}</Link>
                </span>,
              ]
            : []),
        ]}
        interval={<Interval {...ends(zone, run.range.from, run.range.to)} />}
        action={
          <>
            {mayRun && (run.endedAt === null ? <CancelRun run={run} /> : null)}
            {run.state === 'second_person' && may(actor.roles, 'dataset.confirm-run') && (
              <ConfirmRun run={run} self={run.by === actor.person} />
            )}
            {mayRun && run.endedAt !== null && left.count > 0 && <RetryRun run={run} left={left} />}
          </>
        }
      />
      <div className="stack">
        {run.state === 'second_person' && (
          <Note tone="wait" title="It waits for a second person.">
            {`It takes more partitions than ${run.dataset}’s policy lets one person run alone. Another owner or on-call confirms it; ${run.by} may not.`}
          </Note>
        )}
        {run.why && (
          <Note
            tone={run.state === 'failed' ? 'bad' : 'wait'}
            icon={run.state === 'cancelled' ? 'void' : undefined}
            title={whyTitle(run.state)}
          >
            {run.why}
          </Note>
        )}
        {retries.length > 0 && (
          <Note title="What it left out was run again.">
            <p>
              {retries.map((retry, at) => (
                <span key={retry.id}>
                  {at > 0 && ', '}
                  <Link href={`/runs/${retry.id}`}>run {retry.id}</Link>
                </span>
              ))}
            </p>
          </Note>
        )}
        <OutcomePanel run={run} zone={zone} now={now} />
        <div className="grid side">
          <PartitionsPanel
            run={run}
            zone={zone}
            show={said(search, 'show')}
            cursor={said(search, 'cursor')}
          />
          <AnswersPanel run={run} zone={zone} />
        </div>
      </div>
    </>
  );
}

function whyTitle(state: string): string {
  if (state === 'failed') return 'It failed.';
  return state === 'cancelled' ? 'It was cancelled.' : 'It waits.';
}
