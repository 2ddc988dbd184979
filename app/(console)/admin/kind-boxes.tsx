'use client';

import { Checkbox } from '@/components/ui/field';
import { ASKED_KINDS, type AskedKind } from '@/lib/domain/notices';

const WORDS: Record<AskedKind, readonly [name: string, when: string]> = {
  CUTOVER: ['Cutover', 'readers have a new generation'],
  ROLLED_BACK: ['Rollback', 'readers have the old generation again'],
  PUBLISHED: ['Publication', 'figures were sent out, and are sealed'],
  CORRECTED: ['Correction', 'what published figures would be now'],
  CONTAMINATED: ['Contaminated range', 'served values are known to be wrong'],
  CONTAMINATION_LIFTED: ['Mark lifted', 'they were repaired'],
  CONTAMINATION_PUT_BACK: ['Mark put back', 'the repair was rolled back'],
};

/** What to be told of; none is everything, what comes later too. */
export function KindBoxes({
  ticked,
  onChange,
}: {
  ticked: readonly AskedKind[];
  onChange: (kinds: AskedKind[]) => void;
}) {
  return (
    <fieldset className="role-boxes">
      <legend>Told of; nothing ticked: everything, what comes later too</legend>
      {ASKED_KINDS.map((kind) => (
        <Checkbox
          key={kind}
          checked={ticked.includes(kind)}
          onChange={(event) =>
            onChange(
              ASKED_KINDS.filter((each) =>
                each === kind ? event.target.checked : ticked.includes(each),
              ),
            )
          }
        >
          {WORDS[kind][0]} <span className="s q">{WORDS[kind][1]}</span>
        </Checkbox>
      ))}
    </fieldset>
  );
}
