import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { ButtonLink } from '@/components/ui/button';
import { Facts, Figure } from '@/components/ui/figure';
import { Interval, Moment } from '@/components/ui/interval';
import { Panel } from '@/components/ui/panel';
import { isReleaseOwner } from '@/lib/domain/claims';
import { nOfM, plural } from '@/lib/domain/figures';
import { may } from '@/lib/domain/permissions';
import {
  publicationsIn,
  type RangePublication,
  type RangeRun,
  runsIn,
} from '@/lib/queries/calendar-range';
import { marksTouching } from '@/lib/queries/contaminations';
import type { DatasetCalendar } from '@/lib/queries/dataset-calendar';
import type { Actor } from '@/lib/services/context';
import { webDatabase } from '@/lib/web/db';
import { ContaminatedLink } from '../../../_parts/contaminated-link';
import { address } from '../../../_parts/search';
import { partitionHref } from '../../../corrections/links';
import { RunBadge } from '../../../runs/run-badge';
import { RunButton } from '../../../runs/run-button';
import { gapWords, OUTCOME_LOOKS, reasonWords } from '../../../runs/words';
import { ends, moment } from '../../../times';
import { ClaimButton } from './claim-button';
import { MarkSelected } from './mark-selected';
import { type Counted, countedIn, type Selection } from './selection';

/** What the selected partitions hold, who has them, what was sent and run of them, what can be done. */
export async function SelectionPanel({
  calendar,
  selection,
  actor,
}: {
  calendar: DatasetCalendar;
  selection: Selection;
  actor: Actor;
}) {
  const { name, zone, unit } = calendar;
  const { from, to, partitions } = selection;
  const db = webDatabase();
  const publications = await publicationsIn(db, name, selection);
  const runs = await runsIn(db, name, selection);
  const counted = countedIn(selection);
  const marks = await marksTouching(db, name, selection);
  const range = { dataset: name, from, to };
  return (
    <Panel
      title={`Selected: ${plural(partitions.length, unit)}`}
      note={<Interval {...ends(zone, from, to)} />}
      aside={
        <>
          {may(actor.roles, 'dataset.run') && (
            <RunButton {...range} label={partitions.length === 1 ? 'Run this…' : 'Run these…'} />
          )}
          {may(actor.roles, 'dataset.claim') && (
            <ClaimButton {...range} zone={zone} count={partitions.length} owner={actor.person} />
          )}
          {may(actor.roles, 'dataset.publish') && (
            <ButtonLink
              size="sm"
              href={address('/corrections', { dataset: name, publish: `${from}..${to}` })}
            >
              Publish…
            </ButtonLink>
          )}
          {may(actor.roles, 'dataset.mark-contaminated') && (
            <MarkSelected {...range} zone={zone} unit={unit} />
          )}
        </>
      }
    >
      <div className="cell-parts">
        <div>
          <h3>Holds</h3>
          <Holds
            calendar={calendar}
            selection={selection}
            counted={counted}
            contaminated={marks.length}
          />
        </div>
        <div>
          <h3>Sent out</h3>
          <Publications publications={publications} zone={zone} name={name} selection={selection} />
        </div>
        <div>
          <h3>Runs</h3>
          {runs.length === 0 ? (
            <p className="q">No run has taken any of it.</p>
          ) : (
            <RunsOver runs={runs} zone={zone} />
          )}
        </div>
      </div>
    </Panel>
  );
}

function Holds({
  calendar: { name, unit, watched },
  selection: { partitions },
  counted,
  contaminated,
}: {
  calendar: DatasetCalendar;
  selection: Selection;
  counted: Counted;
  /** Marks that stand and touch the selection. */
  contaminated: number;
}) {
  const one = partitions.length === 1 ? partitions[0] : undefined;
  const { rows, empty, sealed, pending, corrections, claimed, gaps } = counted;
  return (
    <Facts
      items={[
        {
          term: 'Rows',
          value: rows === null ? <span className="q">being counted</span> : <Figure value={rows} />,
        },
        ...(one ? [] : [{ term: 'Without rows', value: nOfM(empty, partitions.length) }]),
        {
          term: 'Claimed',
          value:
            claimed.length === 0
              ? 'by nobody'
              : claimed.map(({ owner, partitions: n }) => (
                  <span key={owner} className="block">
                    <Link href={isReleaseOwner(owner) ? `/releases/${owner}` : claimsHref(name)}>
                      {owner}
                    </Link>
                    {!one && `, ${plural(n, unit)}`}
                  </span>
                )),
        },
        ...(contaminated === 0
          ? []
          : [
              {
                term: 'Contaminated',
                value: <ContaminatedLink dataset={name} count={contaminated} />,
              },
            ]),
        {
          term: 'Sealed',
          value:
            sealed === 0 ? (
              'no'
            ) : one ? (
              <Link href={partitionHref(name, one.start)}>yes, with its corrections</Link>
            ) : (
              nOfM(sealed, partitions.length)
            ),
        },
        ...(sealed === 0
          ? []
          : [
              { term: 'Pending', value: plural(pending, 'event') },
              { term: 'Corrections', value: String(corrections) },
            ]),
        ...(one?.run
          ? [
              {
                term: 'Newest run',
                value: (
                  <>
                    <StateBadge look={OUTCOME_LOOKS[one.run.state]} />
                    {one.run.reason && (
                      <span className="s block">{reasonWords(one.run.reason)}</span>
                    )}
                  </>
                ),
              },
            ]
          : []),
        ...(gaps.size === 0 || !watched
          ? []
          : [
              {
                term: 'Missing',
                value: [...gaps]
                  .map(([gap, n]) => (one ? gapWords([gap]) : `${n}: ${gapWords([gap])}`))
                  .join('; '),
              },
            ]),
      ]}
    />
  );
}

const claimsHref = (dataset: string) => `/datasets/${dataset}#claims`;

function Publications({
  publications,
  zone,
  name,
  selection: { from, to },
}: {
  publications: readonly RangePublication[];
  zone: string;
  name: string;
  selection: Selection;
}) {
  if (publications.length === 0) return <p className="q">Nothing of it was published.</p>;
  return (
    <ul className="col">
      {publications.map((one) => {
        const at = moment(zone, one.at);
        return (
          <li key={one.id}>
            <b>to {one.sentTo}</b>
            {one.document && <span className="s block wrap">{one.document}</span>}
            <span className="s block">
              <Interval {...ends(zone, one.from, one.to)} />
            </span>
            <span className="s block">
              by {one.by}, <Moment text={at.text} utc={at.utc} />
            </span>
          </li>
        );
      })}
      <li>
        <Link href={address('/corrections', { dataset: name, from, to })}>
          Published and corrected figures
        </Link>
      </li>
    </ul>
  );
}

function RunsOver({ runs, zone }: { runs: readonly RangeRun[]; zone: string }) {
  return (
    <ul className="col">
      {runs.map((run) => {
        const at = moment(zone, run.at);
        return (
          <li key={run.id}>
            <span className="row">
              <b>
                <Link href={`/runs/${run.id}`}>run {run.id}</Link>
              </b>
              <RunBadge run={{ state: run.state, green: run.stopped + run.failed === 0 }} />
            </span>
            <span className="s block">
              of the selected {run.done} done, {run.skipped} skipped, {run.failed} failed
              {run.planned > 0 && `, ${run.planned} to come`}
            </span>
            <span className="s block">
              {run.kind === 'scheduled' ? 'by the clock' : `asked for by ${run.by}`},{' '}
              <Moment text={at.text} utc={at.utc} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
