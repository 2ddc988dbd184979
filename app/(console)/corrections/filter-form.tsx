'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState, useTransition } from 'react';
import { Button } from '@/components/ui/button';
import { Input, Select } from '@/components/ui/field';
import type { CorrectionFacets } from '@/lib/queries/corrections-page';
import type { ReadEnds } from './ends';
import { type CorrectionsSearch, correctionsHref } from './search';

interface Props {
  search: CorrectionsSearch;
  facets: CorrectionFacets;
  /** Dataset that is shown; empty for all. */
  dataset: string;
  ends: ReadEnds;
  zone: string;
  figures: readonly { value: string; label: string }[];
}

/** The page's filters: a choice is in the address at once, typed ends when they are sent. */
export function FilterForm({ search, facets, dataset, ends, zone, figures }: Props) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  const set = (change: Partial<CorrectionsSearch>) =>
    startTransition(() => router.push(correctionsHref(search, change), { scroll: false }));
  const choice = (
    name: 'dataset' | 'release' | 'kind' | 'by' | 'figure',
    label: string,
    none: string | null,
    options: readonly { value: string; label: string }[],
    value = search[name] ?? '',
  ) => (
    <Select
      label={label}
      value={value}
      onChange={(event) =>
        set({
          [name]: event.target.value || undefined,
          // another dataset has other figures
          ...(name === 'dataset' ? { figure: undefined } : {}),
        })
      }
      options={[
        ...(none === null ? [] : [{ value: '', label: none }]),
        ...(value === '' || options.some((option) => option.value === value)
          ? []
          : [{ value, label: value }]),
        ...options,
      ]}
    />
  );
  const history = search.tab === 'history';
  return (
    <div className="correction-filters" aria-busy={pending}>
      <form className="choices" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        {choice(
          'dataset',
          'Dataset',
          history ? 'all datasets' : null,
          facets.datasets.map(({ name, sealed }) => ({
            value: name,
            label: sealed === 0 ? `${name}, nothing published` : name,
          })),
          dataset,
        )}
        {search.tab !== 'publications' && choice('figure', 'Figure', 'every figure', figures)}
        {history && (
          <>
            {choice('release', 'Release', 'any', optionsOf(facets.releases))}
            {choice('kind', 'Kind', 'any', [
              { value: 'amend', label: 'by hand' },
              { value: 'cutover', label: 'by a cutover' },
              { value: 'rollback', label: 'by a rollback' },
            ])}
            {choice('by', 'Who', 'anybody', optionsOf(facets.people))}
          </>
        )}
      </form>
      {search.tab !== 'publications' && (
        // keyed by what the address says: going back shows what is filtered again
        <Ends
          key={`${ends.from.text} ${ends.to.text}`}
          ends={ends}
          zone={zone}
          onSent={(range) => set(range)}
        />
      )}
    </div>
  );
}

const optionsOf = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }));

function Ends({
  ends,
  zone,
  onSent,
}: {
  ends: Props['ends'];
  zone: string;
  onSent: (range: { from: string | undefined; to: string | undefined }) => void;
}) {
  const [from, setFrom] = useState(ends.from.text);
  const [to, setTo] = useState(ends.to.text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSent({ from: from.trim() || undefined, to: to.trim() || undefined });
  };
  const filtered = ends.from.text !== '' || ends.to.text !== '';
  return (
    <form className="ends" aria-label="Partitions" onSubmit={submit} noValidate>
      <Input
        label={`From, ${zone}`}
        value={from}
        placeholder="2011-01-04"
        autoComplete="off"
        error={ends.from.error}
        onChange={(event) => setFrom(event.target.value)}
      />
      <Input
        label="To, not included"
        value={to}
        placeholder="2011-02-01"
        autoComplete="off"
        error={ends.to.error}
        onChange={(event) => setTo(event.target.value)}
      />
      <Button type="submit">Show</Button>
      {filtered && (
        <Button onClick={() => onSent({ from: undefined, to: undefined })}>All dates</Button>
      )}
    </form>
  );
}
