import Link from 'next/link';
import { StateBadge } from '@/components/release/state-badge';
import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import { formatClock, plural } from '@/lib/domain/figures';
import type { Wait } from '@/lib/domain/next-move';
import { type Blocker, InterlockError } from '@/lib/domain/refusal';
import type { ReleaseBrief } from '@/lib/queries/release-brief';
import type { Actor } from '@/lib/services/context';
import { blockersOf, findRelease } from '@/lib/services/release';
import { webDatabase } from '@/lib/web/db';
import { rolesSpelt } from '../roles';
import { whenZoned } from '../times';
import { waitText } from '../wait-words';

interface Waiting {
  brief: ReleaseBrief;
  wait: Wait;
}

/** How many are asked for their blockers; further ones are named only. */
const MOST_ASKED = 12;

/** What waits for who is signed in, most urgent first, with what still stands in its way. */
export async function WaitsPanel({
  waits,
  actor,
  now,
}: {
  waits: readonly Waiting[];
  actor: Actor;
  now: string;
}) {
  if (waits.length === 0) return <NothingWaits actor={actor} />;
  const blockers = await Promise.all(waits.slice(0, MOST_ASKED).map(blockersIn));
  return (
    <Panel title="Waits for you" note={`${waits.length}, most urgent first`} flush>
      <ul className="waits">
        {waits.map(({ brief, wait }, at) => (
          <WaitRow
            key={brief.id}
            brief={brief}
            wait={wait}
            blockers={blockers[at] ?? []}
            first={at === 0}
            now={now}
          />
        ))}
      </ul>
    </Panel>
  );
}

/** What stands in the way of the move that it waits for. */
async function blockersIn({ brief, wait }: Waiting): Promise<readonly Blocker[]> {
  if (wait.move === 'revise') return [];
  const db = webDatabase();
  try {
    const found = await blockersOf(db, await findRelease(db, brief.release));
    return found[wait.move] ?? [];
  } catch (error) {
    // it moved on between the two reads: the next refresh shows it
    if (error instanceof InterlockError) return [];
    throw error;
  }
}

function WaitRow({
  brief,
  wait,
  blockers,
  first,
  now,
}: Waiting & { blockers: readonly Blocker[]; first: boolean; now: string }) {
  const text = waitText(brief, wait);
  const blocked = blockers.length > 0;
  return (
    <li>
      <Icon name={text.icon} />
      <div>
        <b>
          <Link href={text.href}>{text.title}</Link>
        </b>
        <span className="s m">
          {brief.dataset} · {text.detail}
          {blocked &&
            ` · ${plural(blockers.length, 'blocker')}: ${blockers[0]?.message.replace(/\.$/, '')}`}
        </span>
      </div>
      <Pressing brief={brief} now={now} />
      <ButtonLink href={text.href} variant={first && !blocked ? 'go' : 'plain'}>
        {text.button}
      </ButtonLink>
    </li>
  );
}

/** How long it may wait: the sealed-time clock, else since when. */
function Pressing({ brief, now }: { brief: ReleaseBrief; now: string }) {
  const { sealedSeconds, maxSealedSeconds, since, zone } = brief;
  if (sealedSeconds !== null && maxSealedSeconds !== null) {
    return (
      <StateBadge flag="waiting">
        {formatClock(sealedSeconds)} of {formatClock(maxSealedSeconds)}
      </StateBadge>
    );
  }
  const told = whenZoned(zone, since.at, now);
  return (
    <time className="q nw" dateTime={told.utc} title={told.utc}>
      since {told.text}
    </time>
  );
}

function NothingWaits({ actor }: { actor: Actor }) {
  const owner = actor.roles.includes('owner');
  return (
    <Panel title="Waits for you">
      <Empty
        title="Nothing waits for you."
        action={
          owner ? (
            <ButtonLink size="sm" href="/releases/new" icon="plus">
              New release
            </ButtonLink>
          ) : (
            <ButtonLink size="sm" href="/releases">
              All releases
            </ButtonLink>
          )
        }
      >
        You are signed in as {actor.person}, {rolesSpelt(actor.roles).join(', ')}. What waits for
        these roles appears here.
      </Empty>
    </Panel>
  );
}
