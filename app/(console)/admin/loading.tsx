import { PageTop } from '@/components/shell/page-top';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { SkeletonTable } from '@/components/ui/skeleton';

/** The place of the page while the server reads it. */
export default function Loading() {
  return (
    <>
      <PageTop crumbs={[{ label: 'Admin' }]} />
      <PageHead title="Admin" />
      <Panel label="Loading" flush busy>
        <SkeletonTable
          rows={8}
          columns={[{ head: 'Name' }, { head: 'What it is' }, { head: 'Since', number: true }]}
        />
      </Panel>
    </>
  );
}
