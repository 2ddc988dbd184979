import Link from 'next/link';
import { Note } from '@/components/ui/note';
import { rejectionOf } from '@/lib/queries/rejection';
import { webDatabase } from '@/lib/web/db';
import { moment } from '../../times';

/** Of a draft that answers a rejection: who rejected the revision before it, and why. */
export async function RejectionNote({ before, zone }: { before: string; zone: string }) {
  const rejection = await rejectionOf(webDatabase(), before);
  if (!rejection) return null;
  const told = moment(zone, rejection.at);
  return (
    <Note
      tone="bad"
      title={
        <>
          {rejection.by} rejected {before},{' '}
          <time dateTime={told.utc} title={told.utc}>
            {told.text}
          </time>
        </>
      }
      action={
        <Link className="btn sm" href={`/releases/${before}/approval`}>
          What was read
        </Link>
      }
    >
      {rejection.comment ?? 'No comment was kept.'}
    </Note>
  );
}
