import { createLoader, parseAsString, parseAsStringLiteral } from 'nuqs/server';

/** States that the legend filters by; `lib/domain/gaps` names them. */
const STATES = [
  'has_rows',
  'no_rows',
  'gap',
  'run_missing',
  'run_failed',
  'run_skipped',
  'run_planned',
  'claimed',
  'published',
  'corrected',
] as const;

/** What of the calendar is looked at, as it stands in its address. */
export const calendarSearch = {
  /** The selected partitions: from the start of the first to the end of the last, instants in UTC. */
  from: parseAsString,
  to: parseAsString,
  state: parseAsStringLiteral(STATES),
};

export const loadCalendarSearch = createLoader(calendarSearch);
