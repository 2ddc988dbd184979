'use client';

import { useQueryStates } from 'nuqs';
import { useEffect, useState, useTransition } from 'react';
import { Input, Select } from '@/components/ui/field';
import { releaseFilters } from './filters';

const PAUSE_MS = 250;

/** Dataset, owner and text: a change is in the address at once, and the list follows it. */
export function FilterFields({
  datasets,
  owners,
}: {
  datasets: readonly string[];
  owners: readonly string[];
}) {
  const [pending, startTransition] = useTransition();
  const [filters, setFilters] = useQueryStates(releaseFilters, {
    shallow: false,
    startTransition,
  });
  const [text, setText] = useState(filters.q ?? '');

  useEffect(() => {
    if (text === (filters.q ?? '')) return;
    const timer = setTimeout(() => void setFilters({ q: text || null, cursor: null }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, filters.q, setFilters]);

  const all = (names: readonly string[], every: string) => [
    { value: '', label: every },
    ...names.map((name) => ({ value: name, label: name })),
  ];
  return (
    <form className="filter-fields" aria-label="Filters" aria-busy={pending}>
      <Input
        label="Name or generation"
        type="search"
        value={text}
        placeholder="vat-fix"
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
      <Select
        label="Dataset"
        value={filters.dataset ?? ''}
        options={all(datasets, 'all datasets')}
        onChange={(event) => void setFilters({ dataset: event.target.value || null, cursor: null })}
      />
      <Select
        label="Owner"
        value={filters.owner ?? ''}
        options={all(owners, 'all owners')}
        onChange={(event) => void setFilters({ owner: event.target.value || null, cursor: null })}
      />
    </form>
  );
}
