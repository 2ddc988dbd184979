import { Input, Select } from '@/components/ui/field';
import { Panel } from '@/components/ui/panel';
import type { DraftDataset } from '@/lib/queries/draft';
import type { SectionProps } from './section';

/** What it is called, of which dataset, into which generation. */
export function NameSection({
  form,
  change,
  errors,
  dataset,
  datasets,
  preview,
  kept,
  onDataset,
}: SectionProps & {
  datasets: readonly DraftDataset[];
  /** It is kept already: name and dataset stay. */
  kept: boolean;
  onDataset: (name: string) => void;
}) {
  const suggested = preview?.generation ?? '';
  const named = form.name.trim();
  return (
    <Panel title="Release" note={kept ? undefined : 'name, dataset, target generation'}>
      <div className="fields names">
        {kept ? (
          <Input label="Name, kept" value={form.name} readOnly mono />
        ) : (
          <Input
            label="Name"
            mono
            value={form.name}
            placeholder="vat-fix"
            autoComplete="off"
            onChange={(event) => change({ name: event.target.value })}
            error={named === '' ? undefined : errors.at('/release')}
            hint={
              preview && named !== '' && !errors.at('/release')
                ? `kept as ${named}@${preview.revision}`
                : 'small letters, digits and -'
            }
          />
        )}
        {kept ? (
          <Input label="Dataset, kept" value={form.dataset} readOnly />
        ) : (
          <Select
            label="Dataset"
            value={form.dataset}
            options={[
              ...(form.dataset === '' ? [{ value: '', label: 'choose one' }] : []),
              ...datasets.map(({ name }) => ({ value: name, label: name })),
            ]}
            onChange={(event) => onDataset(event.target.value)}
            error={errors.at('/dataset')}
          />
        )}
        <Input
          label="Target generation"
          mono
          value={form.targetGeneration}
          placeholder={suggested}
          autoComplete="off"
          onChange={(event) => change({ targetGeneration: event.target.value })}
          error={errors.at('/targetGeneration')}
          hint={
            form.targetGeneration.trim() === '' && suggested
              ? `${suggested}, if left empty`
              : undefined
          }
        />
        <Input
          label="Owner"
          value={form.owner}
          onChange={(event) => change({ owner: event.target.value })}
          error={errors.at('/owner')}
          hint={
            dataset?.activeGeneration ? `replaces part of ${dataset.activeGeneration}` : undefined
          }
        />
      </div>
    </Panel>
  );
}
