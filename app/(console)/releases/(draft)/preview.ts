import type { OddPartition } from '@/components/charts/calendar';
import { claimBlockers } from '@/lib/domain/claims';
import type { PackedEdges } from '@/lib/domain/edge-runs';
import type { Instant } from '@/lib/domain/instant';
import { edgeSeconds, packEdges } from '@/lib/domain/pack-edges';
import { formatEdge } from '@/lib/domain/partition-label';
import type { Partition, PartitionUnit } from '@/lib/domain/partition-plan';
import { type Blocker, Invalid, type Issue } from '@/lib/domain/refusal';
import {
  type DraftDataset,
  draftDatasets,
  nextRevision,
  transformInUse,
} from '@/lib/queries/draft';
import type { Ctx } from '@/lib/services/context';
import { checkTransformFor } from '@/lib/services/dataset';
import { type PlanView, previewSpec } from '@/lib/services/release';
import { specBlockers } from '@/lib/services/release/preview-blockers';
import { ends } from '../../times';
import type { DraftForm } from './draft-form';
import { type Suggestion, specOf, suggestionsOf } from './draft-spec';
import { plainIssue } from './plain-issue';

/** The plan that a pin would freeze now. */
export interface PlanPreview {
  digest: string;
  unit: PartitionUnit;
  count: number;
  /** All partitions together. */
  hours: number;
  packed: PackedEdges;
  odd: OddPartition[];
  rows: string;
  partitionsWithRows: number;
  /** Partitions of the range that were published, the first few in the dataset's zone. */
  sealed: { count: number; first: { start: string; text: string }[]; policy: 'CORRECT' | 'REFUSE' };
}

/** What a draft would do, as far as it is typed. */
export interface Preview {
  /** Faults of the draft itself, each at the field's JSON pointer. */
  issues: Issue[];
  suggestions: Suggestion[];
  /** What stands in the way of a pin beside the draft's faults. */
  blockers: Blocker[];
  /** Others' claims on the plan: a pin goes by them, the build does not start over them. */
  claimed: Blocker[];
  plan: PlanPreview | null;
  /** The interval that was read, with both ends and the zone. */
  interval: { from: string; to: string; zone: string; fromUtc: string; toUtc: string } | null;
  /** Digest of the new transform, if it passes. */
  transform: string | null;
  old: { digest: string; sql: string } | null;
  /** What it would be kept as. */
  revision: number;
  generation: string;
}

/** @param self the draft that the form is kept as, with its id; null before it is */
export async function previewOf(
  ctx: Ctx,
  form: DraftForm,
  self: { id: string; revision: number } | null,
): Promise<Preview> {
  const { db } = ctx;
  const dataset = (await draftDatasets(db)).find(({ name }) => name === form.dataset);
  if (!dataset) return noDataset(form);
  const next = await nextRevision(db, form.name.trim(), dataset.name);
  const { spec, issues, planable } = specOf(form, dataset, next.generation);
  const transform = await checked(ctx, form, dataset);
  const planned = planable ? await planOf(ctx, spec) : { plan: null, issues: [] };
  const all = distinct([...issues, ...planned.issues, ...transform.issues].map(plainIssue));
  const range = spec.range as { from?: string; to?: string };
  const last = planned.plan?.partitions.at(-1)?.start ?? range.from ?? null;
  return {
    issues: all,
    suggestions: suggestionsOf(all, dataset.zone),
    blockers:
      issues.length === 0 && planned.plan ? await specBlockers(db, spec, self?.id ?? null) : [],
    claimed: planned.plan ? claimBlockers(dataset.name, planned.plan.claims) : [],
    plan: planned.plan && shownPlan(planned.plan),
    interval:
      range.from !== undefined && range.to !== undefined
        ? ends(dataset.zone, range.from, range.to === 'open' ? null : range.to)
        : null,
    transform: transform.digest,
    old: await transformInUse(db, dataset.name, last),
    revision: self?.revision ?? next.revision,
    generation: next.generation,
  };
}

function noDataset({ dataset }: DraftForm): Preview {
  const message = dataset === '' ? 'Choose a dataset.' : `There is no dataset ${dataset}.`;
  return {
    issues: [{ pointer: '/dataset', code: 'REQUIRED', message }],
    suggestions: [],
    blockers: [],
    claimed: [],
    plan: null,
    interval: null,
    transform: null,
    old: null,
    revision: 1,
    generation: '',
  };
}

/** The transform alone, so that it is judged while the range is still being typed. */
async function checked(
  { db }: Ctx,
  form: DraftForm,
  dataset: DraftDataset,
): Promise<{ digest: string | null; issues: Issue[] }> {
  const pointer = '/transform/new/sql';
  if (form.sql.trim() === '') {
    return { digest: null, issues: [{ pointer, code: 'REQUIRED', message: 'Write one SELECT.' }] };
  }
  try {
    const { digest } = await checkTransformFor(db, { dataset: dataset.name, sql: form.sql });
    return { digest, issues: [] };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return { digest: null, issues: error.issues.map((issue) => ({ ...issue, pointer })) };
  }
}

async function planOf(
  { db }: Ctx,
  spec: Record<string, unknown>,
): Promise<{ plan: PlanView | null; issues: readonly Issue[] }> {
  try {
    return { plan: await previewSpec(db, spec), issues: [] };
  } catch (error) {
    if (error instanceof Invalid) return { plan: null, issues: error.issues };
    throw error;
  }
}

function shownPlan(plan: PlanView): PlanPreview {
  const partitions = plan.partitions as unknown as Partition[];
  return {
    digest: plan.planDigest,
    unit: plan.unit as PartitionUnit,
    count: plan.partitions.length,
    hours: plan.partitions.reduce((sum, { hours }) => sum + hours, 0),
    packed: packEdges(plan.timezone, edgeSeconds(partitions)),
    odd: plan.partitions.flatMap(({ note }, index) =>
      note === null ? [] : [{ index, text: note }],
    ),
    ...plan.estimate,
    sealed: {
      ...plan.sealed,
      first: plan.sealed.first.map((start) => ({
        start,
        text: formatEdge(plan.timezone, start as Instant),
      })),
    },
  };
}

/** The same fault is found by more than one check. */
function distinct(issues: readonly Issue[]): Issue[] {
  const seen = new Set<string>();
  return issues.filter(({ pointer, message, line, column }) => {
    const key = `${pointer} ${line ?? ''}:${column ?? ''} ${message}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
