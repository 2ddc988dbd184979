'use client';

import { useQueryStates } from 'nuqs';
import { useTransition } from 'react';
import { Select } from '@/components/ui/field';
import { runFilters } from './filters';

/** Dataset and kind: a change is in the address at once, and the list follows it. */
export function FilterFields({ datasets }: { datasets: readonly string[] }) {
  const [pending, startTransition] = useTransition();
  const [filters, setFilters] = useQueryStates(runFilters, { shallow: false, startTransition });
  return (
    <form className="filter-fields" aria-label="Filters" aria-busy={pending}>
      <Select
        label="Dataset"
        value={filters.dataset ?? ''}
        options={[
          { value: '', label: 'all datasets' },
          ...datasets.map((name) => ({ value: name, label: name })),
        ]}
        onChange={(event) => void setFilters({ dataset: event.target.value || null, cursor: null })}
      />
      <Select
        label="Kind"
        value={filters.kind ?? ''}
        options={[
          { value: '', label: 'both kinds' },
          { value: 'scheduled', label: 'by the clock' },
          { value: 'adhoc', label: 'asked for' },
        ]}
        onChange={(event) =>
          void setFilters({
            kind: (event.target.value || null) as typeof filters.kind,
            cursor: null,
          })
        }
      />
    </form>
  );
}
