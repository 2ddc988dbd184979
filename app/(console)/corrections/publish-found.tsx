'use client';

import { BlockerList } from '@/components/release/blocker-list';
import { blockersSentence } from '@/components/release/blockers';
import { Facts, Figure } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Note } from '@/components/ui/note';
import { durationText } from '@/components/ui/progress';
import { Between } from '../_parts/when';
import type { PublishFacts } from './actions';

/** What would be recorded as sent out, and what to know before. It warns; it does not forbid. */
export function PublishFound({ facts }: { facts: PublishFacts }) {
  const { zone, unit, range, partitions, already, empty, rows, sums, blockers } = facts;
  const incomplete = incompleteness(facts);
  return (
    <>
      <p>
        <b>
          <Between zone={zone} from={range.from} to={range.to} />
        </b>
      </p>
      <Facts
        items={[
          {
            term: unit === 'day' ? 'Days' : 'Partitions',
            value: `${figureText(partitions)}${already > 0 ? `, of which ${figureText(already)} ${already === 1 ? 'is' : 'are'} sealed already` : ''}${empty > 0 ? `, ${figureText(empty)} without a row` : ''}`,
          },
          { term: 'Rows, as served now', value: <Figure value={rows} /> },
          ...Object.entries(sums).map(([name, value]) => ({
            term: `${name}, as served now`,
            value: value === null ? <span className="q">none</span> : <Figure value={value} />,
          })),
        ]}
      />
      {already > 0 && (
        <Note tone="seal" title={`${countText(already, unit)} of it stay as they were published.`}>
          The sending is recorded; their figures are those that were published first.
        </Note>
      )}
      {incomplete.length > 0 && (
        <Note tone="wait" icon="warn" title="What is served there is not complete.">
          <ul>
            {incomplete.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <p>It can be published all the same; what comes late becomes a correction.</p>
        </Note>
      )}
      {blockers.length > 0 && (
        <Note tone="wait" title="It cannot be published yet.">
          <p>{blockersSentence(blockers)}</p>
          <BlockerList blockers={blockers} />
        </Note>
      )}
    </>
  );
}

function incompleteness({ quarantined, behind, ...rest }: PublishFacts): string[] {
  const lines: string[] = [];
  if (quarantined.inRange > 0) {
    lines.push(
      `${countText(quarantined.inRange, 'event')} of the range ${quarantined.inRange === 1 ? 'is' : 'are'} quarantined: no row came of ${quarantined.inRange === 1 ? 'it' : 'them'}.`,
    );
  }
  if (quarantined.anywhere > 0) {
    lines.push(
      `${countText(quarantined.anywhere, 'event')} ${quarantined.anywhere === 1 ? 'is' : 'are'} quarantined without a time: ${quarantined.anywhere === 1 ? 'it' : 'they'} may belong here.`,
    );
  }
  if (behind.events > 0) {
    lines.push(
      `${countText(behind.events, 'event')} in the log ${behind.events === 1 ? 'is' : 'are'} not applied yet; the oldest waits for ${durationText(behind.lagSeconds)}.`,
    );
  }
  if (rest.empty > 0 && rest.empty === rest.partitions) lines.push('There is no row in it at all.');
  return lines;
}
