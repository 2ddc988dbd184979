'use client';

import { useRouter } from 'next/navigation';
import { Segmented } from '@/components/ui/segmented';
import { type CorrectionsSearch, correctionsHref, type Reading } from './search';

/** Which of the two figures every partition is read by: the published one, the one as of now, both. */
export function ReadSwitch({ search }: { search: CorrectionsSearch }) {
  const router = useRouter();
  return (
    <Segmented<Reading>
      label="Read the figures"
      value={search.read}
      options={[
        { value: 'published', label: 'as published' },
        { value: 'now', label: 'as of now' },
        { value: 'both', label: 'side by side' },
      ]}
      onChange={(read) => router.push(correctionsHref(search, { read }), { scroll: false })}
    />
  );
}
