'use client';

import { useRouter } from 'next/navigation';
import { useTransition } from 'react';
import { Select } from '@/components/ui/field';
import type { AuditFacets } from '@/lib/queries/audit-facets';
import { address } from '../_parts/search';
import type { AuditSearch } from './filter';

/** Release, person, verb and outcome: a change is in the address at once, and the list follows it. */
export function AuditFilters({ search, facets }: { search: AuditSearch; facets: AuditFacets }) {
  const router = useRouter();
  const [pending, startTransition] = useTransition();
  const set = (change: Partial<Record<keyof AuditSearch, string | undefined>>) =>
    startTransition(() =>
      router.push(address('/audit', { ...search, ...change }), { scroll: false }),
    );
  const select = (
    name: keyof AuditSearch,
    label: string,
    every: string,
    values: readonly string[],
  ) => {
    const current = search[name] ?? '';
    const known = current === '' || values.includes(current) ? values : [current, ...values];
    return (
      <Select
        label={label}
        value={current}
        onChange={(event) => set({ [name]: event.target.value || undefined })}
        options={[{ value: '', label: every }, ...known.map((value) => ({ value, label: value }))]}
      />
    );
  };
  const datasets = facets.chains.flatMap((chain) =>
    chain.startsWith('dataset:') ? [chain.slice(8)] : [],
  );
  return (
    <form className="audit-filters" aria-label="Filters" aria-busy={pending}>
      {select('release', 'Release', 'any', facets.releases)}
      {select('dataset', 'Dataset', 'any', datasets)}
      {select('person', 'Person', 'anybody', facets.actors)}
      {select('verb', 'Verb', 'any', facets.verbs)}
      {select('outcome', 'Outcome', 'any', ['done', 'refused'])}
    </form>
  );
}
