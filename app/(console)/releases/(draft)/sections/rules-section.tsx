import { Button } from '@/components/ui/button';
import { Checkbox, Input } from '@/components/ui/field';
import { Icon } from '@/components/ui/icon';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import type { RuleForm } from '../draft-form';
import { changedAt, ListRow, without } from './list-rows';
import type { SectionProps } from './section';

/** Why rows may change, and which columns each reason accounts for. */
export function RulesSection({ form, change, errors, dataset }: SectionProps) {
  const set = (at: number, part: Partial<RuleForm>) =>
    change({ rules: changedAt(form.rules, at, part) });
  return (
    <Panel
      title="Expected differences"
      note="what no rule explains stops the release"
      aside={
        <Button
          size="sm"
          icon="plus"
          onClick={() => change({ rules: [...form.rules, { rule: '', where: '', columns: [] }] })}
        >
          Add a rule
        </Button>
      }
    >
      {form.rules.length === 0 && (
        <Note title="No rule: every row that changes is unexplained.">
          A rule is a predicate over old. and new., where old. is what the old transform yields from
          the same facts.
        </Note>
      )}
      {form.rules.map((rule, at) => (
        <ListRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no name before it is given one.
          key={at}
          label={`rule ${rule.rule || at + 1}`}
          onRemove={() => change({ rules: without(form.rules, at) })}
        >
          <div className="entry-line">
            <Input
              label="Rule"
              value={rule.rule}
              placeholder="vat-20"
              onChange={(event) => set(at, { rule: event.target.value })}
              error={errors.at(`/expectedDiff/${at}/rule`)}
            />
            <Input
              label="Where"
              mono
              value={rule.where}
              placeholder="new.tax = round(old.net * 0.20, 2)"
              onChange={(event) => set(at, { where: event.target.value })}
              error={errors.at(`/expectedDiff/${at}/where`)}
            />
          </div>
          <Columns
            names={(dataset?.columns ?? []).map(({ name }) => name)}
            chosen={rule.columns}
            error={errors.under(`/expectedDiff/${at}/columns`)}
            onChange={(columns) => set(at, { columns })}
          />
        </ListRow>
      ))}
    </Panel>
  );
}

function Columns({
  names,
  chosen,
  error,
  onChange,
}: {
  names: readonly string[];
  chosen: readonly string[];
  error: string | undefined;
  onChange: (columns: string[]) => void;
}) {
  // a column that the dataset no longer has stays visible, so that it can be taken away
  const all = [...names, ...chosen.filter((name) => !names.includes(name))];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a frame of its own.
    <div className="col" role="group" aria-label="Columns that it accounts for">
      <div className="row checks">
        <span className="s m">accounts for</span>
        {all.map((name) => (
          <Checkbox
            key={name}
            checked={chosen.includes(name)}
            onChange={(event) =>
              onChange(
                event.target.checked
                  ? all.filter((other) => other === name || chosen.includes(other))
                  : chosen.filter((other) => other !== name),
              )
            }
          >
            <span className="mono">{name}</span>
          </Checkbox>
        ))}
      </div>
      {error && (
        <span className="hint bad" role="alert">
          <Icon name="bad" /> {error}
        </span>
      )}
    </div>
  );
}
