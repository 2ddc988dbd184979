import Link from 'next/link';
import { DigestChip } from '@/components/ui/digest-chip';
import { Icon } from '@/components/ui/icon';
import type { AuditItem } from '@/lib/queries/audit-list';
import { When } from '../_parts/when';
import { AuditDetail } from './audit-detail';

/** Rows of the chains; each opens to what was before and after it, and its place in its chain. */
export function AuditRows({ items }: { items: readonly AuditItem[] }) {
  return (
    <ol className="audit">
      {items.map((item) => (
        <li key={item.id} data-outcome={item.outcome}>
          <div className="entry">
            <Icon
              name={item.outcome === 'refused' ? 'bad' : 'ok'}
              className={item.outcome === 'refused' ? 'bad' : 'ok'}
              label={item.outcome}
            />
            <span className="who">
              <b>{item.actor}</b>
              <span className="s m">
                <When zone="UTC" at={item.at} />
              </span>
            </span>
            <span className="what">
              <span>
                <span className="mono">{item.verb}</span> <Subject item={item} />
              </span>
              {item.reason && <span className="s m">{item.reason}</span>}
            </span>
          </div>
          <AuditDetail item={item} />
        </li>
      ))}
    </ol>
  );
}

function Subject({ item }: { item: AuditItem }) {
  const { subject } = item;
  if (/^[a-z][a-z0-9-]*@\d+$/.test(subject)) {
    return <Link href={`/releases/${subject}`}>{subject}</Link>;
  }
  if (item.chain === `dataset:${subject}`) {
    return <Link href={`/datasets/${subject}`}>{subject}</Link>;
  }
  if (subject.startsWith('sha256:')) return <DigestChip value={subject} />;
  return <b>{subject}</b>;
}
