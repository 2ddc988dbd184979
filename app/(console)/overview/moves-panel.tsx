import Link from 'next/link';
import { cx } from '@/components/ui/cx';
import { Empty } from '@/components/ui/empty';
import { Panel } from '@/components/ui/panel';
import { didWords, refusedWords } from '@/lib/domain/move-words';
import type { RecentMove } from '@/lib/queries/overview';
import { when } from '../times';

/** The newest rows of the audit chains in words. */
export function MovesPanel({
  moves,
  zone,
  now,
}: {
  moves: readonly RecentMove[];
  zone: string;
  now: string;
}) {
  return (
    <Panel
      title="Last moves"
      note={zone}
      aside={
        <Link className="s" href="/audit">
          audit chain
        </Link>
      }
    >
      {moves.length === 0 ? (
        <Empty title="Nobody did anything yet." />
      ) : (
        <ul className="moves">
          {moves.map((move) => {
            const told = when(zone, move.at, now);
            return (
              <li key={move.id}>
                <time dateTime={told.utc} title={told.utc}>
                  {told.text}
                </time>
                <span className={cx(move.outcome === 'refused' && 'bad')}>
                  <b>{move.actor}</b>{' '}
                  {move.outcome === 'refused'
                    ? refusedWords(move.verb, move.subject)
                    : didWords(move.verb, move.subject)}
                  {move.outcome === 'refused' && move.code && (
                    <span className="mono s"> {move.code}</span>
                  )}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}
