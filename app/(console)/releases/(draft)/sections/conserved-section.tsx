import { Button } from '@/components/ui/button';
import { Checkbox, Input } from '@/components/ui/field';
import { Panel } from '@/components/ui/panel';
import type { ConservedForm } from '../draft-form';
import { changedAt, ListRow, without } from './list-rows';
import type { SectionProps } from './section';

/** Sums that may not change: of the old rows, of the new rows, of the facts. */
export function ConservedSection({ form, change, errors, dataset }: SectionProps) {
  const set = (at: number, part: Partial<ConservedForm>) =>
    change({ conserved: changedAt(form.conserved, at, part) });
  const own = form.ownConserved;
  const given = dataset?.conserved ?? [];
  return (
    <Panel
      title="Conserved sums"
      note="equal on every side, to the last digit"
      aside={
        own && (
          <Button
            size="sm"
            icon="plus"
            onClick={() =>
              change({
                conserved: [...form.conserved, { name: '', old: '', new: '', source: '' }],
              })
            }
          >
            Add a sum
          </Button>
        )
      }
    >
      <Checkbox
        checked={own}
        onChange={(event) =>
          change({
            ownConserved: event.target.checked,
            ...(event.target.checked
              ? {}
              : { conserved: given.map((item) => ({ source: '', ...item })) }),
          })
        }
      >
        Other sums than the dataset’s own. A release that repairs such a sum cannot conserve it.
      </Checkbox>
      {!own && given.length > 0 && (
        <ul className="given">
          {given.map((item) => (
            <li key={item.name}>
              <b>{item.name}</b> <code className="m">{item.old}</code> ={' '}
              <code className="m">{item.new}</code>
              {item.source && (
                <>
                  {' '}
                  = <code className="m">{item.source}</code> of the facts
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {!own && given.length === 0 && <p className="q">The dataset declares none.</p>}
      {own && form.conserved.length === 0 && <p className="q">None: nothing is conserved.</p>}
      {own &&
        form.conserved.map((item, at) => (
          <ListRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a sum has no name before it is given one.
            key={at}
            label={`sum ${item.name || at + 1}`}
            onRemove={() => change({ conserved: without(form.conserved, at) })}
          >
            <div className="entry-line four">
              <Input
                label="Name"
                value={item.name}
                onChange={(event) => set(at, { name: event.target.value })}
                error={errors.at(`/conserved/${at}/name`)}
              />
              <Input
                label="Old"
                mono
                value={item.old}
                placeholder="sum(net)"
                onChange={(event) => set(at, { old: event.target.value })}
                error={errors.at(`/conserved/${at}/old`)}
              />
              <Input
                label="New"
                mono
                value={item.new}
                placeholder="sum(net)"
                onChange={(event) => set(at, { new: event.target.value })}
                error={errors.at(`/conserved/${at}/new`)}
              />
              <Input
                label="Of the facts, optional"
                mono
                value={item.source}
                placeholder="sum(quantity * unit_price)"
                onChange={(event) => set(at, { source: event.target.value })}
                error={errors.at(`/conserved/${at}/source`)}
              />
            </div>
          </ListRow>
        ))}
    </Panel>
  );
}
