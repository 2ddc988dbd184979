import type { Instant } from '@/lib/domain/instant';
import { type EdgeRead, readEdge } from '@/lib/domain/local-edge';
import { formatEdge } from '@/lib/domain/partition-label';
import type { Edges, Issue } from '@/lib/domain/refusal';
import type { DraftDataset } from '@/lib/queries/draft';
import type { ContractForm, DraftForm } from './draft-form';

/** A spec in its JSON form, and what of the form could not be read into it. */
export interface ReadForm {
  spec: Record<string, unknown>;
  issues: Issue[];
  /** False: the range could not be read, so there is nothing to plan. */
  planable: boolean;
}

/** Reads the form into the spec that it means. What is empty says nothing. */
export function specOf(form: DraftForm, dataset: DraftDataset, generation: string): ReadForm {
  const issues: Issue[] = [];
  const edge = (text: string, pointer: string): Instant | undefined => {
    if (text.trim() === '') {
      issues.push({ pointer, code: 'REQUIRED', message: 'Say where it lies.' });
      return undefined;
    }
    return taken(readEdge(dataset.zone, text), pointer, issues);
  };
  const whole = (text: string, pointer: string): number | undefined => {
    const digits = text.replace(/[,\s]/g, '');
    if (digits === '') return undefined;
    if (/^\d{1,15}$/.test(digits)) return Number(digits);
    issues.push({ pointer, code: 'INVALID_INPUT', message: 'This is a whole number.' });
    return undefined;
  };
  const range = {
    from: edge(form.from, '/range/from'),
    to: form.open ? ('open' as const) : edge(form.to, '/range/to'),
  };
  const deadline =
    form.deadline.trim() === ''
      ? undefined
      : taken(readEdge(dataset.zone, form.deadline), '/deadline', issues);
  const spec = {
    release: form.name.trim(),
    dataset: form.dataset,
    range,
    sealedPartitions: form.sealedPartitions,
    source: { name: dataset.source },
    transform: {
      new: { sql: form.sql, ...optional('commit', form.commit.trim().toLowerCase()) },
    },
    targetGeneration: form.targetGeneration.trim() || generation,
    expected: {
      ...optional('partitions', whole(form.partitions, '/expected/partitions')),
      rows: {
        ...optional('min', whole(form.rowsMin, '/expected/rows/min')),
        ...optional('max', whole(form.rowsMax, '/expected/rows/max')),
      },
    },
    ...(form.ownConserved
      ? {
          conserved: form.conserved.map(({ source, ...item }) => ({
            ...item,
            ...optional('source', source.trim()),
          })),
        }
      : {}),
    contract: form.contract.map((item, at) => contractOf(item, at, issues)),
    expectedDiff: form.rules,
    budget: {
      ...optional('concurrency', whole(form.concurrency, '/budget/concurrency')),
      ...optional('maxSealedSeconds', whole(form.maxSealedSeconds, '/budget/maxSealedSeconds')),
      ...optional('maxLiveLagSeconds', whole(form.maxLiveLagSeconds, '/budget/maxLiveLagSeconds')),
      ...optional('maxBufferedEvents', whole(form.maxBufferedEvents, '/budget/maxBufferedEvents')),
    },
    stopLoss: {
      ...optional('failedPartitions', whole(form.failedPartitions, '/stopLoss/failedPartitions')),
      ...optional('unexplainedRows', whole(form.unexplainedRows, '/stopLoss/unexplainedRows')),
    },
    approvals: {
      ...optional('cutover', whole(form.cutover, '/approvals/cutover')),
      ...optional('rollback', whole(form.rollback, '/approvals/rollback')),
    },
    ...optional('owner', form.owner.trim()),
    ...optional('deadline', deadline),
  };
  return { spec, issues, planable: range.from !== undefined && range.to !== undefined };
}

function optional<K extends string, V>(key: K, value: V | undefined | ''): { [P in K]?: V } {
  return value === undefined || value === '' ? {} : ({ [key]: value } as { [P in K]: V });
}

function taken(read: EdgeRead, pointer: string, issues: Issue[]): Instant | undefined {
  if (read.ok) return read.value;
  const [before, after] = 'choices' in read ? read.choices : [];
  const edges: Edges | undefined =
    before === undefined ? undefined : { before, after: after ?? before };
  issues.push({ pointer, code: read.code, message: read.message, ...(edges ? { edges } : {}) });
  return undefined;
}

function contractOf(item: ContractForm, at: number, issues: Issue[]): Record<string, unknown> {
  const { check, column, name, where_bad } = item;
  switch (check) {
    case 'not_null':
      return { check, column };
    case 'null_ratio': {
      const max = Number(item.max);
      if (item.max.trim() === '' || Number.isNaN(max)) {
        issues.push({
          pointer: `/contract/${at}/max`,
          code: 'INVALID_INPUT',
          message: 'This is a share from 0 to 1.',
        });
      }
      return { check, column, max: Number.isNaN(max) ? 0 : max };
    }
    case 'sql':
      return { check, name, where_bad };
  }
}

/** Instants that would be right where one is wrong, as texts to press. */
export interface Suggestion {
  pointer: '/range/from' | '/range/to';
  text: string;
  utc: string;
}

/** The nearest edges of what is wrong with a range. */
export function suggestionsOf(issues: readonly Issue[], zone: string): Suggestion[] {
  const told = (pointer: Suggestion['pointer'], { before, after }: Edges): Suggestion[] =>
    [...new Set([before, after])].map((utc) => ({
      pointer,
      utc,
      text: formatEdge(zone, utc as Instant),
    }));
  return issues.flatMap(({ pointer, edges }) => {
    if (edges === undefined) return [];
    if ('from' in edges)
      return [...told('/range/from', edges.from), ...told('/range/to', edges.to)];
    return pointer === '/range/from' || pointer === '/range/to' ? told(pointer, edges) : [];
  });
}
