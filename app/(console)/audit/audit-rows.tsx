import Link from 'next/link';
import { DigestChip } from '@/components/ui/digest-chip';
import { Facts } from '@/components/ui/figure';
import { Icon } from '@/components/ui/icon';
import { differences, type Json } from '@/lib/domain/json';
import type { AuditItem } from '@/lib/queries/audit-list';
import { When } from '../_parts/when';

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
          <details>
            <summary title="Before, after, and its place in the chain">
              <span className="sr">{`Details of row ${item.seq} of ${item.chain}`}</span>
              <Icon name="chev" />
            </summary>
            <Detail item={item} />
          </details>
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

function Detail({ item }: { item: AuditItem }) {
  const changes = differences((item.before ?? {}) as Json, (item.after ?? {}) as Json);
  return (
    <div className="detail">
      {changes.length === 0 ? (
        <p className="s m">The row keeps no state before and after.</p>
      ) : (
        <div className="scroll">
          <table className="cards cas3">
            <caption className="sr">Before and after</caption>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Before</th>
                <th scope="col">After</th>
              </tr>
            </thead>
            <tbody>
              {changes.map((change) => (
                <tr key={change.pointer}>
                  <td className="mono full">{change.pointer.slice(1) || 'value'}</td>
                  <td data-l="Before">
                    <Side value={change.before} mark="o" />
                  </td>
                  <td data-l="After">
                    <Side value={change.after} mark="w" />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Facts
        items={[
          { term: 'Place', value: `row ${item.seq} of ${item.chain}` },
          { term: 'Hash', value: <DigestChip value={item.hash} /> },
          { term: 'Names before', value: <DigestChip value={item.prev} /> },
          ...(item.evidence
            ? [{ term: 'Evidence', value: <DigestChip value={item.evidence} /> }]
            : []),
          { term: 'Request', value: <span className="mono">{item.requestId}</span> },
        ]}
      />
    </div>
  );
}

function Side({ value, mark }: { value: Json | undefined; mark: 'o' | 'w' }) {
  if (value === undefined) return <span className="q">–</span>;
  if (typeof value === 'string' && value.startsWith('sha256:')) return <DigestChip value={value} />;
  return <span className={`chg ${mark} mono`}>{text(value)}</span>;
}

const MOST = 400;

function text(value: Json): string {
  const whole = typeof value === 'string' ? value : JSON.stringify(value);
  return whole.length > MOST ? `${whole.slice(0, MOST)}…` : whole;
}
