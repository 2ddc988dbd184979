'use client';

import { Failure } from '@/components/ui/failure';

/** A page of the console that failed; the nav around it stands. */
export default function ConsoleError({ error, retry }: { error: unknown; retry: () => void }) {
  return <Failure error={error} retry={retry} />;
}
