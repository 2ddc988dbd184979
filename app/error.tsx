'use client';

import { Failure } from '@/components/ui/failure';

/** A page that failed to render; the frame around it stands. */
export default function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <main className="alone">
      <Failure error={error} retry={retry} />
    </main>
  );
}
