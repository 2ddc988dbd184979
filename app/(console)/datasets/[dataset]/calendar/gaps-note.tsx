import { ButtonLink } from '@/components/ui/button';
import { Interval } from '@/components/ui/interval';
import { Note } from '@/components/ui/note';
import { plural } from '@/lib/domain/figures';
import type { DatasetGaps } from '@/lib/queries/dataset-gaps';
import { RunButton } from '../../../runs/run-button';
import { gapWords, unitsText } from '../../../runs/words';
import { ends } from '../../../times';

/** The warning that nobody asked for: which days are missing, each to be run from here. */
export function GapsNote({
  gaps: { dataset, zone, unit, count, first },
  mayRun,
  onCalendar = false,
  named = false,
}: {
  gaps: DatasetGaps;
  mayRun: boolean;
  /** On the calendar itself there is no way to it. */
  onCalendar?: boolean;
  /** Where several datasets are told of: it says of which one, and less of each. */
  named?: boolean;
}) {
  const listed = named ? first.slice(0, 2) : first;
  const told = listed.reduce((sum, range) => sum + range.partitions, 0);
  return (
    <Note
      tone="bad"
      icon="warn"
      title={`${plural(count, unit)} ${named ? `of ${dataset} ` : ''}${count === 1 ? 'is' : 'are'} missing.`}
      action={
        onCalendar ? undefined : (
          <ButtonLink size="sm" href={`/datasets/${dataset}/calendar`}>
            Calendar
          </ButtonLink>
        )
      }
    >
      <ul className="gap-list">
        {listed.map((range) => (
          <li key={range.from}>
            <span>
              <Interval {...ends(zone, range.from, range.to)} />
              <span className="s">
                {plural(range.partitions, unit)}: {gapWords(range.kinds)}
              </span>
            </span>
            {mayRun && (
              <RunButton
                dataset={dataset}
                from={range.from}
                to={range.to}
                label={`Run the missing ${unitsText(range.partitions, unit)}`}
                size="sm"
              />
            )}
          </li>
        ))}
      </ul>
      {told < count && <p>and {plural(count - told, unit)} more, marked on the calendar.</p>}
    </Note>
  );
}
