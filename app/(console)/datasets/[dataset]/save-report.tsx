'use client';

import { type FormEvent, useState } from 'react';
import { useFirstInvalid } from '@/components/hooks/use-first-invalid';
import { newKey } from '@/components/release/confirm-dialog';
import { type DialogForm, FormDialog, FormEnd } from '@/components/release/form-dialog';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/field';
import { SqlEditor } from '@/components/ui/sql-editor';
import { say } from '@/components/ui/toaster';
import { REPORT_LIMIT } from '@/lib/domain/report';
import type { ReportView } from '@/lib/queries/reports';
import { AGAIN } from './again';
import { saveTyped } from './report-actions';

interface Props {
  dataset: string;
  /** The one that the form begins with; a new one where it is left out. */
  report?: Pick<ReportView, 'name' | 'sql' | 'limitSeconds'>;
}

/** Saves a report, a new one or one in the place of another. */
export function SaveReport(props: Props) {
  const { dataset, report } = props;
  return (
    <FormDialog
      opener={(open) => (
        <Button size="sm" onClick={open}>
          {report ? 'Change…' : 'Save a report…'}
        </Button>
      )}
      wide
      title={report ? `Change the report ${report.name}?` : `Save a report of ${dataset}?`}
      summary={
        <p>
          On a release it can be read on the old and the new generation, and what differs is shown.
          Nothing waits for it: it is not a gate.
        </p>
      }
    >
      {(form) => <ReportForm {...props} form={form} />}
    </FormDialog>
  );
}

/** What the server says of one of these stands at its field. */
const FIELDS = ['/name', '/sql', '/limitSeconds'];

function ReportForm({ dataset, report, form }: Props & { form: DialogForm }) {
  const [key] = useState(newKey);
  const [typed, setTyped] = useState({
    name: report?.name ?? '',
    sql: report?.sql ?? '',
    limit: String(report?.limitSeconds ?? REPORT_LIMIT.usual),
  });
  const [asked, setAsked] = useState(0);
  const change = (more: Partial<typeof typed>) => {
    setTyped({ ...typed, ...more });
    // what was said of the text before points at places that may be others now
    if (form.problem) form.setProblem(null);
  };
  const name = typed.name.trim();
  const limitSeconds = /^\d{1,4}$/.test(typed.limit.trim()) ? Number(typed.limit) : 0;
  const faults = {
    name: name === '' ? 'Say what it is called.' : undefined,
    sql: typed.sql.trim() === '' ? 'Write what is read.' : undefined,
    limit:
      limitSeconds < 1 || limitSeconds > REPORT_LIMIT.most
        ? `Whole seconds, 1 to ${REPORT_LIMIT.most}.`
        : undefined,
  };
  const shown: Partial<typeof faults> = asked > 0 ? faults : {};
  const marks = (form.problem?.issues ?? [])
    .filter(({ pointer }) => pointer === '/sql')
    .map(({ line, column, message }) => ({ line: line ?? 1, column: column ?? 1, message }));
  const atFields = form.problem?.issues?.every(({ pointer }) => FIELDS.includes(pointer)) ?? false;

  const element = useFirstInvalid(asked);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked((times) => times + 1);
    if (faults.name ?? faults.sql ?? faults.limit) return;
    void form.send(
      () => saveTyped({ dataset, name, sql: typed.sql, limitSeconds, key }),
      () => {
        say(`The report ${name} is saved`);
        form.close();
      },
      AGAIN,
    );
  };
  return (
    <form ref={element} className="form" onSubmit={submit} noValidate>
      <div className="fields report-fields">
        <Input
          label="Name"
          hint="The report that has this name already, if there is one, gives way to this one."
          value={typed.name}
          placeholder="Tax by month"
          autoComplete="off"
          maxLength={80}
          required
          error={shown.name ?? form.issueAt('/name')}
          onChange={(event) => change({ name: event.target.value })}
        />
        <Input
          label="Limit in seconds"
          hint={`For one reading, 1 to ${REPORT_LIMIT.most}.`}
          value={typed.limit}
          number
          autoComplete="off"
          required
          error={shown.limit ?? form.issueAt('/limitSeconds')}
          onChange={(event) => change({ limit: event.target.value })}
        />
      </div>
      <SqlEditor
        label="SQL"
        value={typed.sql}
        onChange={(sql) => change({ sql })}
        marks={shown.sql ? [{ line: 1, column: 1, message: shown.sql }] : marks}
        minLines={6}
        hint={
          <>
            One SELECT from <span className="mono">{dataset}</span>, such as sums by month. The same
            rows have to give the same figures whenever it is read.
          </>
        }
      />
      <FormEnd form={atFields ? { ...form, problem: null } : form} doing="Saving…">
        Save it
      </FormEnd>
    </form>
  );
}
