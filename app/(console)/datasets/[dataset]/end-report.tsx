'use client';

import { PrimaryAction } from '@/components/release/primary-action';
import { say } from '@/components/ui/toaster';
import type { ReportView } from '@/lib/queries/reports';
import { endSaved } from './report-actions';

/** Ends a report, which is asked first. */
export function EndReport({ report }: { report: Pick<ReportView, 'id' | 'dataset' | 'name'> }) {
  const { id, dataset, name } = report;
  return (
    <PrimaryAction
      label="End…"
      pendingLabel="Ending…"
      variant="plain"
      size="sm"
      confirm={{
        title: `End the report ${name}?`,
        body: (
          <p>
            It is read on no release from then on. What was read of it stays with the releases that
            it was read on.
          </p>
        ),
        confirmLabel: 'End the report',
      }}
      action={async ({ key }) => {
        const result = await endSaved({ dataset, id, key });
        return result.ok ? { ok: true } : result;
      }}
      onDone={() => say(`The report ${name} is ended`)}
    />
  );
}
