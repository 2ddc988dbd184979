import { Note } from '@/components/ui/note';
import { troubleWords } from '@/lib/domain/trouble';
import type { ReleaseHeader } from '@/lib/queries/release-header';
import { whenZoned } from '../../times';

/** What stands beside the state, each with who, when and why. */
export function FlagNotes({ header }: { header: ReleaseHeader }) {
  const { brief, now } = header;
  const words = troubleWords(brief.troubleStep, brief.troubleCode);
  const told = (flag: { at: string; by: string; why: string | null }) =>
    `by ${flag.by}, ${whenZoned(brief.zone, flag.at, now).text}${flag.why ? `: ${flag.why}` : ''}`;
  return (
    <>
      {brief.turn.state === 'RECONCILIATION_REQUIRED' && (
        <Note tone="bad" title="Reconciliation is required: no forward move is open.">
          <p>
            {words?.means ?? 'Something does not agree.'}{' '}
            <span className="s m">
              {brief.troubleStep}: {brief.troubleCode}
            </span>
          </p>
          {brief.trouble && <p>{brief.trouble}</p>}
          {words && <p>{words.do}</p>}
          <p>
            It goes on by a recorded decision to run the failed step again, or by{' '}
            {brief.turn.cutOver ? 'rolling back' : 'abandoning it'}.
          </p>
        </Note>
      )}
      {brief.held && (
        <Note tone="wait" icon="pause" title={`Held ${told(brief.held)}`}>
          <p>No seal, no signature and no cutover until the hold is lifted.</p>
        </Note>
      )}
      {brief.paused && (
        <Note tone="wait" icon="pause" title={`Paused ${told(brief.paused)}`}>
          <p>No new work begins; what runs is finished.</p>
        </Note>
      )}
      {brief.draining && (
        <Note tone="wait" title="Being drained">
          <p>What still runs of it is being ended; nothing of it will be served.</p>
        </Note>
      )}
    </>
  );
}
