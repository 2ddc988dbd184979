import * as z from 'zod';
import { eventBatchSchema } from '@/lib/domain/event';
import { sourceBodySchema } from '@/lib/domain/source';
import { sourceList, sourceView } from '@/lib/queries/source-view';
import { appendEvents, applySource } from '@/lib/services/source';
import * as answers from '@/lib/web/api/answers';
import { endpoint, ok } from '@/lib/web/api/endpoint';
import { listOf, pageQuery } from '@/lib/web/api/fields';
import { withName } from '@/lib/web/api/with-name';

export const sources = [
  endpoint({
    method: 'GET',
    path: '/sources',
    id: 'listSources',
    tag: 'sources',
    summary: 'Sources by name',
    permission: 'source.read',
    query: z.object(pageQuery),
    answers: { 200: { description: 'A page of sources.', schema: listOf(answers.sourceItem) } },
    handle: async ({ ctx, query }) => ok(await sourceList(ctx.db, query)),
  }),
  endpoint({
    method: 'GET',
    path: '/sources/{source}',
    id: 'getSource',
    tag: 'sources',
    summary: 'A source: its columns, and its shards with last offset, retained from, and size',
    permission: 'source.read',
    answers: { 200: { description: 'The source.', schema: answers.source } },
    codes: ['NOT_FOUND'],
    handle: async ({ ctx, params }) => ok(await sourceView(ctx.db, params.source ?? '')),
  }),
  endpoint({
    method: 'PUT',
    path: '/sources/{source}',
    id: 'putSource',
    tag: 'sources',
    summary: 'Declares a source',
    description:
      'Saying the same again changes nothing. Only `retentionDays` may be changed later: the age past which the log is pruned to the newest event of each key. Left out or null, everything is kept.',
    permission: 'source.apply',
    body: sourceBodySchema,
    parsedBy: 'verb',
    answers: {
      200: { description: 'It was there; its retention is as given.', schema: answers.source },
      201: { description: 'It is new.', schema: answers.source },
    },
    codes: ['INVALID_NAME', 'SOURCE_IS_FIXED', 'ALREADY_EXISTS'],
    handle: async ({ ctx, params, body }) => {
      const name = params.source ?? '';
      const { created } = await applySource(ctx, withName(body, 'name', name));
      return { ...ok(await sourceView(ctx.db, name)), status: created ? 201 : 200 };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/sources/{source}/events',
    id: 'appendEvents',
    tag: 'sources',
    summary: 'Appends a batch of events to the log: all of it or nothing',
    description:
      'At most 10,000 events or 8 MiB a call. `accepted`, `duplicates` and `stale` are disjoint; their sum is the size of the batch. A bad event is named by index and field.',
    permission: 'source.append',
    body: eventBatchSchema,
    parsedBy: 'verb',
    answers: { 200: { description: 'The batch is in the log.', schema: answers.appended } },
    codes: ['NOT_FOUND', 'EVENT_CONFLICT', 'KEY_DISAGREES', 'TIME_DISAGREES', 'TOO_LARGE'],
    handle: async ({ ctx, params, body }) =>
      ok(await appendEvents(ctx, withName(body, 'source', params.source ?? ''))),
  }),
];
