const ROWS = '.main table tbody tr, .main ol.audit > li';
const OPENS = 'a[href], summary, button';

/**
 * Moves the focus to what opens the next row of a table, or the one before, so that Enter opens it
 * as it always does. From outside of a table it begins at the first row that is in view. A page
 * without such rows is left as it is.
 */
export function walkRows(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)].filter(
    (row) => row.getClientRects().length > 0 && !row.closest('.sr') && opener(row) !== null,
  );
  const here = rows.findLastIndex((row) => row.contains(document.activeElement));
  const next = here === -1 ? (rows.find(inView) ?? rows[0]) : rows[here + by];
  if (!next) return;
  opener(next)?.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

const opener = (row: HTMLElement) => row.querySelector<HTMLElement>(OPENS);
const inView = (row: HTMLElement) => row.getBoundingClientRect().top >= 0;
