import { DigestChip } from '@/components/ui/digest-chip';
import { Facts } from '@/components/ui/figure';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { SqlText } from '@/components/ui/sql-diff';
import { Tag } from '@/components/ui/tag';
import type { Column } from '@/lib/domain/column';
import type { Conserved, Policy } from '@/lib/domain/dataset';
import { DRILL_MAX_AGE_HOURS } from '@/lib/domain/drill';
import type { DatasetServing } from '@/lib/queries/dataset-serving';
import { CopyText } from './copy-text';

/** The transform of the generation in use. */
export function TransformNow({ data }: { data: DatasetServing }) {
  const { transform } = data;
  if (transform === null) return null;
  return (
    <Panel
      title="Transform in use"
      aside={
        <>
          {transform.commit && <Tag>commit {transform.commit.slice(0, 8)}</Tag>}
          <DigestChip value={transform.digest} />
        </>
      }
    >
      <SqlText sql={transform.sql} />
    </Panel>
  );
}

/** How people read it: the view, the pin, and which generation that is. */
export function ReadIt({ data }: { data: DatasetServing }) {
  const { name } = data;
  const lines = [
    { label: 'the generation in use', sql: `select * from read."${name}";` },
    { label: 'one generation, for a while', sql: `select read.pin('${name}', interval '15 min');` },
    { label: 'which one it is', sql: `select read.generation('${name}');` },
    {
      label: 'what of it is known to be wrong',
      sql: `select * from read.contaminated('${name}');`,
    },
  ];
  return (
    <Panel title="Read it" note="as role interlock_reader">
      <ul className="col">
        {lines.map((line) => (
          <li key={line.sql} className="col read-sql">
            <span className="s m">{line.label}</span>
            <CopyText text={line.sql} />
          </li>
        ))}
      </ul>
      <p className="s m after-steps">
        A pin is a lease of at most {durationText((data.policy as Policy).leaseSeconds)}; when it
        has ended, reading says so and never answers from another generation.
      </p>
    </Panel>
  );
}

/** What was declared, and the floor under every release. */
export function Definition({ data }: { data: DatasetServing }) {
  const policy = data.policy as Policy;
  const columns = data.columns as Column[];
  const conserved = data.conserved as Conserved[];
  return (
    <>
      <Panel title="Policy">
        <Facts
          items={[
            {
              term: 'Signatures',
              value: `${policy.approvals.cutover} for a cutover, ${policy.approvals.rollback} for a rollback, at least`,
            },
            { term: 'Rollback window', value: durationText(policy.rollbackWindowSeconds) },
            { term: 'Lease', value: durationText(policy.leaseSeconds) },
            {
              term: 'Signers',
              value: policy.executorMayApprove ? 'may execute, too' : 'may not execute',
            },
            {
              term: 'Drill before a cutover',
              value: policy.requireDrill
                ? `required, not older than ${durationText((policy.drillMaxAgeHours ?? DRILL_MAX_AGE_HOURS) * 3600)}`
                : 'not required',
            },
          ]}
        />
      </Panel>
      <Panel
        title="Columns"
        count={columns.length}
        aside={<DigestChip value={data.columnsDigest} />}
      >
        <Facts
          items={columns.map((column) => ({
            term: column.name,
            value: (
              <>
                <span className="mono">{column.type}</span>
                {data.key.includes(column.name) && ' key'}
                {data.businessTime === column.name && ' business time'}
                {column.nullable && <span className="q"> may be NULL</span>}
              </>
            ),
          }))}
        />
      </Panel>
      {conserved.length > 0 && (
        <Panel title="Conserved" note="must not change">
          <Facts
            items={conserved.map((sum) => ({
              term: sum.name,
              value: <span className="mono">{sum.new}</span>,
            }))}
          />
        </Panel>
      )}
    </>
  );
}
