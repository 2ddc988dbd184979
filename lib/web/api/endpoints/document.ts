import * as z from 'zod';
import { type Endpoint, endpoint, ok } from '@/lib/web/api/endpoint';
import { openApiDocument } from '@/lib/web/api/openapi';

/** The document of all endpoints, itself among them. */
export function documentOf(endpoints: () => readonly Endpoint[]): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/openapi.json',
    id: 'getOpenApi',
    tag: 'document',
    summary: 'This document',
    permission: 'public',
    answers: {
      200: { description: 'OpenAPI 3.1.', schema: z.looseObject({ openapi: z.string() }) },
    },
    handle: async () => ok(openApiDocument(endpoints())),
  });
}
