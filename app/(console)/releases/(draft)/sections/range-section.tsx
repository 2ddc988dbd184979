import { Checkbox, Input, Select } from '@/components/ui/field';
import { Interval } from '@/components/ui/interval';
import { Panel } from '@/components/ui/panel';
import type { Suggestion } from '../draft-spec';
import type { SectionProps } from './section';

/** Where it applies: half-open, on partition edges, in the dataset's zone. */
export function RangeSection({ form, change, errors, dataset, preview }: SectionProps) {
  const fixes = (pointer: Suggestion['pointer']) =>
    (preview?.suggestions ?? []).filter((suggestion) => suggestion.pointer === pointer);
  /** The edges themselves stand under the field, in the dataset's zone, to press. */
  const saidAt = (pointer: Suggestion['pointer']) =>
    errors.codeAt(pointer) === 'RANGE_NOT_ON_PARTITION_EDGE'
      ? `Inside a ${dataset?.unit ?? 'partition'}; the nearest edges:`
      : errors.at(pointer);
  const empty = errors.at('/range');
  return (
    <Panel title="Range" note="half-open, on partition edges">
      <div className="range-fields">
        <div className="col">
          <Input
            label="From"
            value={form.from}
            placeholder="2011-01-04 00:00"
            autoComplete="off"
            onChange={(event) => change({ from: event.target.value })}
            error={form.from === '' ? undefined : saidAt('/range/from')}
          />
          <Fixes
            label="From"
            fixes={fixes('/range/from')}
            take={(text) => change({ from: text })}
          />
        </div>
        <div className="col">
          <Input
            label="To, not included"
            value={form.open ? 'open, from there on' : form.to}
            placeholder="2011-12-10 00:00"
            autoComplete="off"
            readOnly={form.open}
            onChange={(event) => change({ to: event.target.value })}
            error={form.open || form.to === '' ? undefined : saidAt('/range/to')}
          />
          {!form.open && (
            <Fixes label="To" fixes={fixes('/range/to')} take={(text) => change({ to: text })} />
          )}
          <Checkbox
            checked={form.open}
            onChange={(event) => change({ open: event.target.checked })}
          >
            Open: from there on
          </Checkbox>
        </div>
        <Input label="Zone, frozen" value={dataset?.zone ?? ''} readOnly />
        <Input label="Unit, frozen" value={dataset?.unit ?? ''} readOnly />
      </div>
      {empty && (
        <p className="hint bad" role="alert">
          {empty}
        </p>
      )}
      {preview?.interval && !empty && (
        <p className="m range-read" role="status">
          Read as <Interval {...preview.interval} />
        </p>
      )}
      <div className="range-read">
        <Select
          label="Published partitions of the range"
          value={form.sealedPartitions}
          options={[
            { value: 'CORRECT', label: 'leave as published, write corrections' },
            { value: 'REFUSE', label: 'refuse: there must be none' },
          ]}
          hint="What was published is never overwritten, whatever the release does."
          error={errors.at('/sealedPartitions')}
          onChange={(event) =>
            change({ sealedPartitions: event.target.value === 'REFUSE' ? 'REFUSE' : 'CORRECT' })
          }
        />
      </div>
    </Panel>
  );
}

function Fixes({
  label,
  fixes,
  take,
}: {
  label: string;
  fixes: readonly Suggestion[];
  take: (text: string) => void;
}) {
  if (fixes.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame of its own.
    <div className="row" role="group" aria-label={`${label}: nearest edges`}>
      {fixes.map(({ text, utc }) => (
        <button key={utc} type="button" className="btn sm" title={utc} onClick={() => take(text)}>
          {text}
        </button>
      ))}
    </div>
  );
}
