import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './cx';
import { Icon } from './icon';

interface FieldProps {
  label: ReactNode;
  /** What to know before typing. */
  hint?: ReactNode;
  /** What is wrong and what to do; it is announced, and the control is marked invalid. */
  error?: ReactNode;
  className?: string;
}

/** Ids and ARIA of a control with a label, a hint and an error, for `Field` and controls of one's own. */
export function useField({ hint, error }: { hint?: ReactNode; error?: ReactNode }) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : '']
    .filter(Boolean)
    .join(' ');
  return {
    id,
    control: {
      id,
      'aria-describedby': described || undefined,
      'aria-invalid': error ? (true as const) : undefined,
    },
  };
}

/** Label above, control, hint and error below. `children` gets the props that tie them together. */
export function Field({
  label,
  hint,
  error,
  className,
  children,
}: FieldProps & { children: (control: ReturnType<typeof useField>['control']) => ReactNode }) {
  const { id, control } = useField({ hint, error });
  return (
    <div className={cx('lab', className)}>
      <label htmlFor={id}>{label}</label>
      {children(control)}
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && (
        <span className="hint bad" id={`${id}-error`} role="alert">
          <Icon name="bad" /> {error}
        </span>
      )}
    </div>
  );
}

/** One line of text. `mono` for identifiers and SQL, `number` sets it right. */
export function Input({
  label,
  hint,
  error,
  mono = false,
  number = false,
  className,
  ...rest
}: FieldProps & { mono?: boolean; number?: boolean } & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(control) => (
        <input
          {...rest}
          {...control}
          className={cx('in', mono && 'mono', number && 'n')}
          inputMode={number ? 'decimal' : rest.inputMode}
          spellCheck={mono || number ? false : rest.spellCheck}
        />
      )}
    </Field>
  );
}

/** Several lines of prose: comments, reasons. */
export function TextArea({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldProps & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(control) => <textarea rows={3} {...rest} {...control} className="in area" />}
    </Field>
  );
}

/** The platform's own select: it is the one that works everywhere, phones and screen readers too. */
export function Select({
  label,
  hint,
  error,
  options,
  className,
  ...rest
}: FieldProps & {
  options: readonly { value: string; label: string; disabled?: boolean }[];
} & ComponentProps<'select'>) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(control) => (
        <select {...rest} {...control} className="in">
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A box to tick, with its sentence beside it. */
export function Checkbox({ children, ...rest }: { children: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className="check">
      <input {...rest} type="checkbox" />
      <span>{children}</span>
    </label>
  );
}
