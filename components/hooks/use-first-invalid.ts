import { useEffect, useRef } from 'react';

/**
 * The first field of a form that is wrong takes the focus, after the errors are in the page.
 *
 * @param asked how often the form was sent while something in it was wrong; 0 before
 * @returns the form's ref
 */
export function useFirstInvalid(asked: number) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (asked > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [asked]);
  return form;
}
