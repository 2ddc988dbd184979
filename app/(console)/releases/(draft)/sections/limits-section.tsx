import { Input } from '@/components/ui/field';
import { Panel } from '@/components/ui/panel';
import type { DraftForm } from '../draft-form';
import type { SectionProps } from './section';

type NumberField = {
  [K in keyof DraftForm]: DraftForm[K] extends string ? K : never;
}[keyof DraftForm];

interface Limit {
  field: NumberField;
  label: string;
  pointer: string;
  hint?: string;
  placeholder?: string;
}

const EXPECTED: readonly Limit[] = [
  { field: 'partitions', label: 'Partitions', pointer: '/expected/partitions' },
  { field: 'rowsMin', label: 'Rows, at least', pointer: '/expected/rows/min' },
  { field: 'rowsMax', label: 'Rows, at most', pointer: '/expected/rows/max' },
];

const BUDGET: readonly Limit[] = [
  {
    field: 'concurrency',
    label: 'Partitions at once',
    pointer: '/budget/concurrency',
    hint: 'at most 64, over all runners',
  },
  {
    field: 'maxSealedSeconds',
    label: 'Sealed at most, seconds',
    pointer: '/budget/maxSealedSeconds',
    hint: 'then ingress reopens by itself',
  },
  {
    field: 'maxLiveLagSeconds',
    label: 'Live lag at most, seconds',
    pointer: '/budget/maxLiveLagSeconds',
    hint: 'when ingress is sealed',
  },
  {
    field: 'maxBufferedEvents',
    label: 'Buffered events at most',
    pointer: '/budget/maxBufferedEvents',
    hint: 'behind the seal',
  },
  {
    field: 'failedPartitions',
    label: 'Pause at failed partitions',
    pointer: '/stopLoss/failedPartitions',
  },
  {
    field: 'unexplainedRows',
    label: 'Stop at unexplained rows',
    pointer: '/stopLoss/unexplainedRows',
  },
];

/** Expected counts, budget and stop-loss. */
export function LimitsSection(props: SectionProps) {
  return (
    <>
      <Panel title="Expected counts" note="another count fails the reconciliation; optional">
        <Numbers {...props} limits={EXPECTED} />
      </Panel>
      <Panel title="Budget and stop-loss">
        <Numbers {...props} limits={BUDGET} />
      </Panel>
    </>
  );
}

/** Who signs, and until when. */
export function ApprovalsSection(props: SectionProps) {
  const { form, change, errors, dataset } = props;
  const policy = dataset?.approvals;
  return (
    <Panel title="Approvals" note="distinct people, none of them an author">
      <div className="fields">
        <Numbers
          {...props}
          bare
          limits={[
            {
              field: 'cutover',
              label: 'Signatures for the cutover',
              pointer: '/approvals/cutover',
              ...(policy ? { hint: `the dataset asks for ${policy.cutover}` } : {}),
            },
            {
              field: 'rollback',
              label: 'Signatures for the rollback',
              pointer: '/approvals/rollback',
              ...(policy ? { hint: `the dataset asks for ${policy.rollback}` } : {}),
            },
          ]}
        />
        <Input
          label="Deadline, optional"
          value={form.deadline}
          placeholder="2011-12-16 18:00"
          autoComplete="off"
          onChange={(event) => change({ deadline: event.target.value })}
          error={errors.at('/deadline')}
          hint={dataset && `in ${dataset.zone}; no signature or cutover after it`}
        />
      </div>
    </Panel>
  );
}

function Numbers({
  form,
  change,
  errors,
  limits,
  bare = false,
}: SectionProps & { limits: readonly Limit[]; bare?: boolean }) {
  const inputs = limits.map(({ field, label, pointer, hint, placeholder }) => (
    <Input
      key={field}
      label={label}
      number
      value={form[field]}
      placeholder={placeholder}
      onChange={(event) => change({ [field]: event.target.value })}
      error={errors.at(pointer)}
      hint={hint}
    />
  ));
  return bare ? inputs : <div className="fields">{inputs}</div>;
}
