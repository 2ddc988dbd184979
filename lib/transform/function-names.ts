/** Functions that make one value from many rows. */
const AGGREGATES =
  'any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop ' +
  'covar_samp every json_agg json_agg_strict json_object_agg json_object_agg_strict ' +
  'json_object_agg_unique jsonb_agg jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict ' +
  'jsonb_object_agg_unique max min mode percentile_cont percentile_disc range_agg ' +
  'range_intersect_agg regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx ' +
  'regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance xmlagg';

/** Functions that look at other rows. */
const WINDOWS =
  'cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number';

/** Functions that make many rows from one. */
const SET_RETURNING =
  'generate_series generate_subscripts json_array_elements json_array_elements_text json_each ' +
  'json_each_text json_object_keys json_populate_recordset json_to_recordset ' +
  'jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys ' +
  'jsonb_path_query jsonb_path_query_tz jsonb_populate_recordset jsonb_to_recordset ' +
  'regexp_matches regexp_split_to_table string_to_table ts_debug ts_parse ts_stat unnest';

const named = (names: string) => new Set(names.split(' '));

const aggregates = named(AGGREGATES);
const windows = named(WINDOWS);
const setReturning = named(SET_RETURNING);

export const isAggregate = (name: string): boolean => aggregates.has(name);
export const isWindowFunction = (name: string): boolean => windows.has(name);

/** Why a function cannot stand in a transform that makes each row from one source row. */
export function rowWiseProblem(name: string): string | null {
  if (aggregates.has(name))
    return `${name}() is an aggregate; each row is made from one source row.`;
  if (windows.has(name))
    return `${name}() looks at other rows; each row is made from one source row.`;
  if (setReturning.has(name)) {
    return `${name}() can make several rows; each row is made from one source row.`;
  }
  return null;
}

/** Advice for functions that people often reach for; others are refused by name alone. */
const ADVICE: Readonly<Record<string, string>> = {
  age: 'subtract the dates, or use age(timestamp, timestamp)',
  now: 'a recomputation has no present; take a time from the source',
  clock_timestamp: 'a recomputation has no present; take a time from the source',
  statement_timestamp: 'a recomputation has no present; take a time from the source',
  transaction_timestamp: 'a recomputation has no present; take a time from the source',
  to_char: 'it depends on the session; take parts with extract() and lpad()',
  format: 'it depends on the session; use || with fixed types',
  date_trunc: "give the zone of an instant: date_trunc('day', x, 'Europe/London')",
  date_part: "name the zone of an instant: date_part('year', x at time zone 'Europe/London')",
  extract: "name the zone of an instant: extract(year from x at time zone 'Europe/London')",
  timezone: "write x at time zone 'Area/City'",
  make_timestamptz: "give the zone: make_timestamptz(y, m, d, h, mi, s, 'Europe/London')",
  to_timestamp: "use a literal format with the offset, TZH: 'YYYY-MM-DD HH24:MI:SS TZH'",
  to_date: 'use a literal format without TM',
  date_add: "give the zone: date_add(x, interval '1 day', 'Europe/London')",
  date_subtract: "give the zone: date_subtract(x, interval '1 day', 'Europe/London')",
  random: 'a recomputation must give the same rows each time',
  gen_random_uuid: 'make ids from the source, for example with md5()',
  repeat: 'give a count of at most 10000 as a number',
  lpad: 'give a length of at most 10000 as a number',
  rpad: 'give a length of at most 10000 as a number',
  round: 'cast to numeric to round to digits',
};

export function adviceFor(name: string): string | null {
  return Object.hasOwn(ADVICE, name) ? (ADVICE[name] ?? null) : null;
}
