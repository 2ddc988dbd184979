import { Button } from '@/components/ui/button';
import { Input, Select } from '@/components/ui/field';
import { Panel } from '@/components/ui/panel';
import { type ContractForm, emptyContract } from '../draft-form';
import { changedAt, ListRow, without } from './list-rows';
import type { SectionProps } from './section';

const CHECKS = [
  { value: 'not_null', label: 'never NULL' },
  { value: 'null_ratio', label: 'NULL at most' },
  { value: 'sql', label: 'no row where' },
];

/** What holds of every row of the candidate, whatever changed. */
export function ContractSection({ form, change, errors, dataset }: SectionProps) {
  const set = (at: number, part: Partial<ContractForm>) =>
    change({ contract: changedAt(form.contract, at, part) });
  const columns = (dataset?.columns ?? []).map(({ name }) => ({ value: name, label: name }));
  return (
    <Panel
      title="Contract"
      note="checked on every row of the candidate"
      aside={
        <Button
          size="sm"
          icon="plus"
          onClick={() =>
            change({
              contract: [...form.contract, { ...emptyContract(), column: columns[0]?.value ?? '' }],
            })
          }
        >
          Add a check
        </Button>
      }
    >
      {form.contract.length === 0 && <p className="q">No check beside the reconciliation’s own.</p>}
      {form.contract.map((item, at) => (
        <ListRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a check has no name before it is given one.
          key={at}
          label={`check ${at + 1}`}
          onRemove={() => change({ contract: without(form.contract, at) })}
        >
          <div className="entry-line">
            <Select
              label="Check"
              value={item.check}
              options={CHECKS}
              onChange={(event) => set(at, { check: event.target.value as ContractForm['check'] })}
            />
            {item.check === 'sql' ? (
              <>
                <Input
                  label="Name"
                  value={item.name}
                  placeholder="tax ≥ 0 on sales"
                  onChange={(event) => set(at, { name: event.target.value })}
                  error={errors.at(`/contract/${at}/name`) ?? errors.at(`/contract/${at}`)}
                />
                <Input
                  label="Bad where"
                  mono
                  value={item.where_bad}
                  placeholder="net > 0 and tax < 0"
                  onChange={(event) => set(at, { where_bad: event.target.value })}
                  error={errors.at(`/contract/${at}/where_bad`)}
                />
              </>
            ) : (
              <>
                <Select
                  label="Column"
                  value={item.column}
                  options={columns}
                  onChange={(event) => set(at, { column: event.target.value })}
                  error={errors.at(`/contract/${at}/column`) ?? errors.at(`/contract/${at}`)}
                />
                {item.check === 'null_ratio' && (
                  <Input
                    label="Share, 0 to 1"
                    number
                    value={item.max}
                    onChange={(event) => set(at, { max: event.target.value })}
                    error={errors.at(`/contract/${at}/max`)}
                  />
                )}
              </>
            )}
          </div>
        </ListRow>
      ))}
    </Panel>
  );
}
