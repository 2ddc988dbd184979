import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import type { RailEntry } from '@/components/release/rail-steps';
import { StateBadge } from '@/components/release/state-badge';
import { StateRail } from '@/components/release/state-rail';
import type { LineState, ReleaseStateName } from '@/components/release/states';
import { PageTop } from '@/components/shell/page-top';
import { ButtonLink } from '@/components/ui/button';
import { DigestChip } from '@/components/ui/digest-chip';
import { Interval } from '@/components/ui/interval';
import { PageHead } from '@/components/ui/page-head';
import { TabsNav } from '@/components/ui/tabs-nav';
import { Tag } from '@/components/ui/tag';
import { may } from '@/lib/domain/permissions';
import { InterlockError } from '@/lib/domain/refusal';
import type { ReleaseHeader } from '@/lib/queries/release-header';
import { releaseStamp } from '@/lib/queries/stamp';
import { blockersOf, findRelease, previewPlan } from '@/lib/services/release';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { orNotFound } from '../../_parts/access';
import { LiveRefresh } from '../../live-refresh';
import { asOf, ends, moment, when } from '../../times';
import { DrillNote } from './drill-note';
import { FlagNotes } from './flag-notes';
import { allowedMoves, menuOf } from './menu-moves';
import { MoreMenu } from './more-menu';
import { NextStep } from './next-step';
import { primaryOf } from './primary';
import { readHeader } from './read';
import { tabsOf } from './release-tabs';
import { statusOf } from './status';
import { StatusBar } from './status-bar';

interface Props {
  params: Promise<{ release: string }>;
  children: ReactNode;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const reference = decodedPart((await params).release);
  return { title: { default: reference, template: `%s · ${reference} · Interlock` } };
}

/** The head of a release over every tab: what it is, where it stands, what is next. */
export default async function ReleaseLayout({ params, children }: Props) {
  const reference = decodedPart((await params).release);
  const db = webDatabase();
  // who may read it, before anything of it is read
  const header = await readHeader(reference);
  const { stamp } = await orNotFound(releaseStamp(db, reference));
  const { brief } = header;
  const blocked = await blockersOf(db, await findRelease(db, reference));
  const primary = primaryOf(header, blocked, await planShown(header));
  const shown = { release: brief.release, version: brief.version, at: header.now };
  const read = asOf(brief.zone, header.now);
  return (
    <>
      <PageTop
        crumbs={[
          { label: 'Releases', href: '/releases' },
          { label: brief.dataset, href: `/datasets/${brief.dataset}` },
          { label: brief.release },
        ]}
        asOf={read}
      />
      <LiveRefresh
        url={`/live/stamp?${new URLSearchParams({ release: reference, zone: brief.zone })}`}
        stamp={stamp}
        asOf={read}
      />
      <PageHead
        title={brief.release}
        badges={<Badges header={header} />}
        facts={factsOf(header)}
        action={
          <div className="row">
            {brief.turn.state === 'DRAFT' && may(brief.person.roles, 'release.edit') && (
              <ButtonLink href={`/releases/${brief.release}/edit`}>Edit</ButtonLink>
            )}
            <NextStep
              primary={primary}
              shown={shown}
              allowed={allowedMoves(brief.person.roles, brief.turn.state)}
            />
            <MoreMenu items={menuOf(header)} shown={shown} />
          </div>
        }
      />
      <div className="stack zone">
        <StateRail
          current={brief.turn.state as ReleaseStateName}
          history={historyOf(header)}
          reached={brief.lastOnLine as LineState}
          progress={progressOf(header)}
        />
        <StatusBar status={statusOf(header)} />
        <FlagNotes header={header} />
        <DrillNote header={header} />
      </div>
      <TabsNav label="Release" tabs={tabsOf(header)} />
      {children}
    </>
  );
}

/** Of a draft the plan that its page shows: what is pinned is that one, or the pin is refused. */
async function planShown({ brief }: ReleaseHeader): Promise<string | null> {
  if (brief.turn.state !== 'DRAFT') return null;
  try {
    return (await previewPlan(webDatabase(), brief.release)).planDigest;
  } catch (error) {
    // a draft with a fault has no plan; its blockers say why
    if (error instanceof InterlockError) return null;
    throw error;
  }
}

function Badges({ header: { brief, digest } }: { header: ReleaseHeader }) {
  const { turn, running } = brief;
  return (
    <>
      <StateBadge release={turn.state as ReleaseStateName} pill turning={running > 0} />
      {turn.serving && <Tag>serving</Tag>}
      {brief.held && <StateBadge flag="held" pill />}
      {brief.paused && <StateBadge flag="paused" pill />}
      {brief.draining && <StateBadge flag="draining" pill />}
      {turn.rollingBack && (
        <StateBadge release="ROLLED_BACK" pill turning>
          Rolling back
        </StateBadge>
      )}
      {digest && <DigestChip value={digest} />}
    </>
  );
}

function factsOf({ brief, commit }: ReleaseHeader): ReactNode[] {
  const { dataset, targetGeneration, owner, deadline, zone, from, to } = brief;
  const due = deadline === null ? null : moment(zone, deadline);
  return [
    <span key="into">
      <b>{dataset}</b>
      {targetGeneration && (
        <>
          {' '}
          into <span className="mono">{targetGeneration}</span>
        </>
      )}
    </span>,
    `owner ${owner}`,
    ...(commit
      ? [
          <span key="commit">
            commit <span className="mono">{commit.slice(0, 12)}</span>
          </span>,
        ]
      : []),
    ...(due
      ? [
          <time key="due" dateTime={due.utc} title={due.utc}>
            deadline {due.text}
          </time>,
        ]
      : []),
    ...(from === null ? [] : [<Interval key="range" {...ends(zone, from, to)} />]),
  ];
}

function historyOf({ states, brief, now }: ReleaseHeader): RailEntry[] {
  return states.map(({ state, by, at }) => {
    const told = when(brief.zone, at, now);
    return { state: state as ReleaseStateName, by, at: told.text, utc: told.utc };
  });
}

/** How much of the current state is done, from receipts and progress; it never runs backwards. */
function progressOf({ brief, barrier, reconciliation }: ReleaseHeader): number {
  const { turn } = brief;
  const share = (done: number, all: number) => (all > 0 ? done / all : 0);
  switch (turn.state) {
    case 'BUILDING':
      return share(turn.receipts, turn.planned);
    case 'INGRESS_SEALED':
      return barrier ? share(Number(barrier.applied), Number(barrier.total)) : 0;
    case 'CAUGHT_UP':
      return reconciliation?.verdict === 'running'
        ? share(reconciliation.compared, turn.planned)
        : 0;
    case 'RECONCILED':
      return share(turn.signed.cutover, turn.needed.cutover);
    default:
      return 0;
  }
}
