'use client';

import { PrimaryAction } from '@/components/release/primary-action';
import { countText, figureText } from '@/components/ui/figure-text';
import { say } from '@/components/ui/toaster';
import { useMove, words } from '../../../_parts/use-move';

interface Shown {
  release: string;
  version: number;
  now: string;
}

const shown = ({ release, version, now }: Shown): Shown => ({ release, version, now });

/** Asks for a rehearsal: the whole comparison, beside live writing. */
export function Rehearse({ page, small = false }: { page: Shown; small?: boolean }) {
  const move = useMove(shown(page));
  return (
    <PrimaryAction
      label="Rehearse"
      pendingLabel="Asking…"
      variant="plain"
      size={small ? 'sm' : 'md'}
      action={({ key }) => move('rehearse', {}, key)}
      onDone={() => say('The rehearsal begins', 'Its figures appear here as it goes on.')}
    />
  );
}

export interface Quote {
  what: 'drift' | 'quarantine';
  count: string;
  digest: string;
}

/** Accepts what was found, quoting count and digest; whoever accepts becomes an author. */
export function Accept({ page, quote }: { page: Shown; quote: Quote }) {
  const move = useMove(shown(page));
  const things =
    quote.what === 'drift'
      ? `${countText(Number(quote.count), 'row')} of drift`
      : countText(Number(quote.count), 'quarantined event');
  return (
    <PrimaryAction
      label={`Accept ${things}…`}
      pendingLabel="Accepting…"
      variant="plain"
      size="sm"
      confirm={{
        title: `Accept ${things}?`,
        body: (
          <div className="col">
            <p>
              {quote.what === 'drift'
                ? 'The generation in use holds rows that its own transform does not yield. Accepting says that the new generation may replace them with what the facts yield.'
                : 'These events could not become rows of the new generation. Accepting says that it may serve without them; their keys keep the last good row, or have none.'}
            </p>
            <p>
              It covers exactly {figureText(quote.count)} with the digest{' '}
              <span className="mono">{quote.digest.slice(7, 15)}</span>…: if either moves, it covers
              nothing. You count as an author of {page.release} from then on and may not sign it.
            </p>
          </div>
        ),
        comment: 'required',
        commentLabel: 'Why this is right',
        confirmLabel: `Accept ${things}`,
      }}
      action={({ comment, key }) =>
        move(
          'accept',
          {
            what: quote.what,
            count: quote.count,
            digest: quote.digest,
            reason: words(comment).comment ?? '',
          },
          key,
        )
      }
      onDone={() => say(`Accepted ${things}`)}
    />
  );
}
