import { useDeferredValue } from 'react';
import { StateBadge } from '@/components/release/state-badge';
import { DigestChip } from '@/components/ui/digest-chip';
import { Input } from '@/components/ui/field';
import { Panel } from '@/components/ui/panel';
import { SqlDiff } from '@/components/ui/sql-diff';
import { sqlDiffRows } from '@/components/ui/sql-diff-rows';
import { SqlEditor } from '@/components/ui/sql-editor';
import { plural } from '@/lib/domain/figures';
import type { SectionProps } from './section';

const PASSES = { label: '', hue: 'ok', icon: 'ok' } as const;
const FAILS = { label: '', hue: 'bad', icon: 'bad' } as const;

/** The new transform, judged as it is typed, and what it changes of the one in use. */
export function TransformSection({
  form,
  change,
  errors,
  dataset,
  preview,
  pending,
}: SectionProps & { pending: boolean }) {
  const sql = useDeferredValue(form.sql);
  const old = preview?.old ?? dataset?.transform ?? null;
  const changed = old ? sqlDiffRows(old.sql, sql).filter((row) => row.new?.kind === 'add') : [];
  const gone = old ? sqlDiffRows(old.sql, sql).filter((row) => row.old?.kind === 'del') : [];
  const lines = Math.max(changed.length, gone.length);
  const wrong = errors.marks.length;
  return (
    <Panel
      title="Transform"
      note={
        <span role="status">
          {pending && !preview ? (
            'being checked'
          ) : wrong > 0 ? (
            <StateBadge look={FAILS}>{plural(wrong, 'fault')}</StateBadge>
          ) : (
            preview?.transform && (
              <StateBadge look={PASSES}>one SELECT, deterministic, columns match</StateBadge>
            )
          )}
        </span>
      }
      aside={
        <span className="s">
          {lines === 0
            ? 'as the one in use'
            : `${plural(lines, 'line')} ${lines === 1 ? 'changes' : 'change'}`}
        </span>
      }
    >
      <div className="col transform">
        <SqlEditor
          label="New transform"
          value={form.sql}
          onChange={(text) => change({ sql: text })}
          marks={errors.marks}
          minLines={10}
          head={
            preview?.transform && wrong === 0 ? <DigestChip value={preview.transform} /> : undefined
          }
          hint={
            dataset &&
            `One SELECT over source (${dataset.sourceColumns.map(({ name }) => name).join(', ')}), yielding ${dataset.columns.map(({ name }) => name).join(', ')}. Ctrl ] and Ctrl [ indent; Tab leaves the editor.`
          }
        />
        {old && lines > 0 && (
          <SqlDiff
            before={old.sql}
            after={sql}
            oldHead={
              <>
                old, in use <DigestChip value={old.digest} />
              </>
            }
          />
        )}
        <div className="fields">
          <Input
            label="Commit, optional"
            mono
            value={form.commit}
            placeholder="4f2a91c"
            autoComplete="off"
            onChange={(event) => change({ commit: event.target.value })}
            error={errors.at('/transform/new/commit')}
            hint="where the transform comes from"
          />
        </div>
      </div>
    </Panel>
  );
}
