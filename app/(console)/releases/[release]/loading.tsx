import { SkeletonPanel } from '@/components/ui/skeleton';

/** The place of a tab while the server reads it; the head over it stands. */
export default function LoadingTab() {
  return (
    <div className="stack">
      <SkeletonPanel title="Loading" lines={8} />
      <SkeletonPanel title="Loading" lines={3} />
    </div>
  );
}
