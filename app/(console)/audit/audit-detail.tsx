'use client';

import { useState } from 'react';
import { DigestChip } from '@/components/ui/digest-chip';
import { Facts } from '@/components/ui/figure';
import { Icon } from '@/components/ui/icon';
import { differences, type Json } from '@/lib/domain/json';
import type { AuditItem } from '@/lib/queries/audit-list';

/** What was before and after a row. Written out once it is opened: fifty of them are half a megabyte. */
export function AuditDetail({ item }: { item: AuditItem }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary title="Before, after, and its place in the chain">
        <span className="sr">{`Details of row ${item.seq} of ${item.chain}`}</span>
        <Icon name="chev" />
      </summary>
      {open && <Detail item={item} />}
    </details>
  );
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
