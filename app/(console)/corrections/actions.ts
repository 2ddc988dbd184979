'use server';

import { refresh } from 'next/cache';
import * as z from 'zod';
import type { Instant } from '@/lib/domain/instant';
import { readEdge } from '@/lib/domain/local-edge';
import { formatEdge } from '@/lib/domain/partition-label';
import type { PartitionUnit } from '@/lib/domain/partition-plan';
import { Invalid, type Issue, NotFound } from '@/lib/domain/refusal';
import { type CorrectionItem, correctionView } from '@/lib/queries/corrections';
import {
  correctionFacets,
  correctionOfRequest,
  publicationOfRequest,
} from '@/lib/queries/corrections-page';
import { ingressView } from '@/lib/queries/dataset-view';
import type { Ctx } from '@/lib/services/context';
import { amend, type PublishPreview, publish, publishPreview } from '@/lib/services/publication';
import { action } from '@/lib/web/action';
import { onceOnly } from '@/lib/web/once-only';

const typed = { dataset: z.string().max(200), from: z.string().max(60), to: z.string().max(60) };
const key = z.string().min(1).max(100);

/** What the publish dialog shows before anything is pressed. */
export interface PublishFacts extends PublishPreview {
  zone: string;
  unit: PartitionUnit;
  /** Events of the log that are not applied yet, and how long the oldest has waited. */
  behind: { events: number; lagSeconds: number };
}

/** An end that lies within a partition: the edges around it, as texts to press. */
export interface EdgeOffer {
  end: 'from' | 'to';
  utc: string;
  text: string;
}

type Read = { facts: PublishFacts; fault: null } | { facts: null; fault: EdgeFault };

interface EdgeFault {
  message: string;
  /** Which end is at fault; null where it is both or neither. */
  end: 'from' | 'to' | null;
  offers: EdgeOffer[];
}

/** What is served of a range now, and what to know before it is published. It records nothing. */
export const readPublish = action(
  'dataset.publish',
  z.strictObject(typed),
  async (ctx, input): Promise<Read> => {
    const { zone, unit } = await datasetOf(ctx, input.dataset);
    try {
      const preview = await publishPreview(ctx.db, {
        dataset: input.dataset,
        ...edgesOf(zone, input),
      });
      const { buffered, lagSeconds } = await ingressView(ctx.db, input.dataset);
      const behind = { events: buffered, lagSeconds };
      return { facts: { ...preview, zone, unit, behind }, fault: null };
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      return { facts: null, fault: faultOf(zone, error) };
    }
  },
);

/** Records that figures were sent out, and seals the partitions of the range. */
export const publishRange = action(
  'dataset.publish',
  z.strictObject({
    ...typed,
    sentTo: z.string().max(500),
    document: z.string().max(1_000),
    key,
  }),
  async (ctx, { key, ...input }) => {
    const { zone } = await datasetOf(ctx, input.dataset);
    if (input.sentTo.trim() === '') {
      throw new Invalid({
        pointer: '/sentTo',
        code: 'REQUIRED',
        message: 'Say to whom the figures were sent.',
      });
    }
    const said = {
      dataset: input.dataset,
      ...edgesOf(zone, input),
      sentTo: input.sentTo,
      document: input.document.trim() === '' ? undefined : input.document,
    };
    const recover = async (requestId: string) => {
      const found = await publicationOfRequest(ctx.db, requestId);
      return found && JSON.stringify(found);
    };
    const answer = await onceOnly(ctx, { route: 'publish', key, input, recover }, async () => {
      const { sealed, already } = await publish(ctx, said);
      return JSON.stringify({ sealed: sealed.length, already: already.length });
    });
    refresh();
    return JSON.parse(answer) as { sealed: number; already: number };
  },
);

/** Records what a sealed partition would be now. */
export const recordCorrection = action(
  'dataset.amend',
  z.strictObject({
    dataset: z.string().max(200),
    partition: z.string().max(60),
    reason: z.string().max(2_000),
    key,
  }),
  async (ctx, { key, ...input }): Promise<CorrectionItem> => {
    const recover = (requestId: string) => correctionOfRequest(ctx.db, requestId);
    const id = await onceOnly(
      ctx,
      { route: 'amend', key, input, recover },
      async () => (await amend(ctx, input)).id,
    );
    refresh();
    return correctionView(ctx.db, id);
  },
);

async function datasetOf({ db }: Ctx, name: string) {
  const found = (await correctionFacets(db)).datasets.find((dataset) => dataset.name === name);
  if (!found) throw new NotFound('dataset', name);
  return found;
}

function edgesOf(zone: string, range: { from: string; to: string }) {
  const issues: Issue[] = [];
  const edge = (end: 'from' | 'to'): string => {
    const read = readEdge(zone, range[end]);
    if (read.ok) return read.value;
    issues.push({ pointer: `/${end}`, code: read.code, message: read.message });
    return '';
  };
  const edges = { from: edge('from'), to: edge('to') };
  if (issues.length > 0) throw new Invalid(issues);
  return edges;
}

function faultOf(zone: string, { issues }: Invalid): EdgeFault {
  const offers = issues.flatMap(({ pointer, edges }): EdgeOffer[] => {
    if (edges === undefined) return [];
    const around = (end: 'from' | 'to', { before, after }: { before: string; after: string }) =>
      [...new Set([before, after])].map((utc) => ({
        end,
        utc,
        text: formatEdge(zone, utc as Instant),
      }));
    if ('from' in edges) return [...around('from', edges.from), ...around('to', edges.to)];
    return around(pointer === '/to' ? 'to' : 'from', edges);
  });
  const ends = new Set(issues.map(({ pointer }) => pointer.slice(1)));
  const [only] = ends;
  return {
    message: issues.map(({ message }) => message).join(' '),
    end: ends.size === 1 && (only === 'from' || only === 'to') ? only : null,
    offers,
  };
}
