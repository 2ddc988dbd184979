'use client';

import { type KeyboardEvent, type ReactNode, useId, useMemo, useRef } from 'react';
import { Icon } from './icon';
import {
  brokenLine,
  type Edited,
  indented,
  indexOf,
  markedParts,
  type SqlMark,
} from './sql-editor-text';

/**
 * A SQL editor on a plain text area: line numbers, errors marked at line and column and listed
 * below (a press puts the caret there). Tab leaves it as it leaves any field; Ctrl ] and Ctrl [
 * indent, Enter keeps the indentation.
 */
export function SqlEditor({
  label,
  name,
  value,
  onChange,
  marks = [],
  hint,
  head,
  minLines = 8,
  readOnly = false,
}: {
  label: string;
  name?: string;
  value: string;
  onChange: (value: string) => void;
  /** Errors, 1-based line and column, as a check of the transform gives them. */
  marks?: readonly SqlMark[];
  hint?: ReactNode;
  /** Beside the label: a digest, a verdict. */
  head?: ReactNode;
  minLines?: number;
  readOnly?: boolean;
}) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const parts = useMemo(() => markedParts(value, marks), [value, marks]);
  const count = Math.max(minLines, value.split('\n').length);
  const wrong = new Set(marks.map((mark) => mark.line));

  const edit = ({ text, from, to }: Edited) => {
    onChange(text);
    // The caret is set after React has put the new text in.
    requestAnimationFrame(() => area.current?.setSelectionRange(from, to));
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart: from, selectionEnd: to } = event.currentTarget;
    const bracket = (event.ctrlKey || event.metaKey) && (event.key === ']' || event.key === '[');
    const enter = event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.metaKey;
    if (readOnly || event.nativeEvent.isComposing || !(bracket || enter)) return;
    event.preventDefault();
    edit(bracket ? indented(value, from, to, event.key === '[') : brokenLine(value, from, to));
  };
  const goTo = (mark: SqlMark) => {
    const at = indexOf(value, mark.line, mark.column);
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
  };

  return (
    <div className="ed-box">
      <div className="row s">
        <label className="ed-label" htmlFor={id}>
          {label}
        </label>
        {head}
      </div>
      <div className="ed" data-wrong={marks.length > 0 || undefined}>
        <ol className="ed-n" aria-hidden="true">
          {Array.from({ length: count }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line's number is its key.
            <li key={at} className={wrong.has(at + 1) ? 'bad' : undefined}>
              {at + 1}
            </li>
          ))}
        </ol>
        <div className="ed-text">
          <pre aria-hidden="true">
            {parts.map((part, at) =>
              part.mark ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts have no name but their place.
                <mark key={at}>{part.text}</mark>
              ) : (
                part.text
              ),
            )}
            {'\n'}
          </pre>
          <textarea
            ref={area}
            id={id}
            name={name}
            value={value}
            rows={count}
            readOnly={readOnly}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            autoCorrect="off"
            wrap="off"
            aria-invalid={marks.length > 0 || undefined}
            aria-describedby={`${id}-hint ${id}-marks`}
            onChange={(event) => onChange(event.target.value)}
            onKeyDown={press}
          />
        </div>
      </div>
      <div id={`${id}-marks`} aria-live="polite">
        {marks.map((mark) => (
          <div className="ed-mark bad" key={`${mark.line}:${mark.column} ${mark.message}`}>
            <Icon name="bad" />
            <button type="button" className="link" onClick={() => goTo(mark)}>
              line {mark.line}, column {mark.column}
            </button>
            <span>{mark.message}</span>
          </div>
        ))}
      </div>
      <p className="hint" id={`${id}-hint`}>
        {hint ?? 'Ctrl ] and Ctrl [ indent; Tab leaves the editor.'}
      </p>
    </div>
  );
}
