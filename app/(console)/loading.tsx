import { PageTop } from '@/components/shell/page-top';
import { SkeletonPanel } from '@/components/ui/skeleton';

/** The place of a page while the server reads it. */
export default function Loading() {
  return (
    <>
      <PageTop crumbs={[{ label: 'Loading' }]} />
      <div className="stack">
        <SkeletonPanel title="Loading" lines={3} />
        <SkeletonPanel title="Loading" lines={8} />
      </div>
    </>
  );
}
