import * as z from 'zod';
import { rolesFor } from '@/lib/domain/permissions';
import { CODES, type Code, statusOf } from '@/lib/domain/refusal-codes';
import { problem } from '@/lib/web/api/answers';
import type { Endpoint } from '@/lib/web/api/endpoint';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document, made from the schemas that parse. */
export function openApiDocument(endpoints: readonly Endpoint[]): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...(paths[endpoint.path] ?? pathItem(endpoint.path)),
      [endpoint.method.toLowerCase()]: operation(endpoint, components),
    };
  }
  components.of(problem, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Interlock',
      version: 'v1',
      summary: 'Recompute the history of a dataset without anyone ever reading half of it.',
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    tags: tags.map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      responses: { Problem: problemResponse('An error, as problem+json.') },
      headers: {
        RequestId: {
          description: 'Names the request in log and audit.',
          schema: { type: 'string' },
        },
        Replayed: {
          description: '`true` on an answer that an `Idempotency-Key` repeats.',
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of a person. Its roles count as far as the person still has them.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'next-auth.session-token',
          description: 'The console’s session; for reading only.',
        },
      },
    },
    'x-codes': Object.fromEntries(
      Object.entries(CODES).map(([code, [status, title, doc]]) => [code, { status, title, doc }]),
    ),
  };
}

const about = `Instants are RFC 3339 with an offset, answered in UTC with up to 6 decimals; one without an offset is 422.
Numerics, bigints, offsets and sums are strings; counts, epochs and revisions are numbers. Both are
read; a number that a double does not hold exactly is 422. Intervals are half-open. Errors are
RFC 9457 problem+json with a code; a refusal is 409 with all blockers, a lost race 409 without.
Every POST takes an Idempotency-Key, scoped to person, path and body; a refusal is never kept.`;

const tags = [
  ['people', 'People, roles, tokens'],
  ['sources', 'Sources and their change logs'],
  ['datasets', 'Datasets, their rows and leases'],
  ['releases', 'Releases and their moves'],
  ['subscribers', 'Who is told of datasets, and of what they were told'],
  ['audit', 'The audit chains'],
  ['document', 'The description of this interface'],
] as const;

function pathItem(path: string): Json {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const parameters = names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(name === 'release' ? { description: 'name@revision', example: 'order-tax-fix@3' } : {}),
  }));
  return parameters.length > 0 ? { parameters } : {};
}

function operation(endpoint: Endpoint, components: Components): Json {
  const open = endpoint.permission === 'public';
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    ...(open ? { security: [] } : {}),
    ...(!open && endpoint.method === 'GET' ? { security: [{ token: [] }, { session: [] }] } : {}),
    ...(endpoint.permission === 'public'
      ? {}
      : { 'x-permission': endpoint.permission, 'x-roles': rolesFor(endpoint.permission) }),
    parameters: [...queryParameters(endpoint, components), ...headerParameters(endpoint)],
    ...(endpoint.body
      ? {
          requestBody: {
            required: !endpoint.bodyOptional,
            content: { 'application/json': { schema: components.of(endpoint.body, 'input') } },
          },
        }
      : {}),
    responses: { ...successes(endpoint, components), ...failures(endpoint) },
  };
}

function queryParameters(endpoint: Endpoint, components: Components): Json[] {
  if (!endpoint.query) return [];
  const schema = components.of(endpoint.query, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    schema: property,
  }));
}

function headerParameters(endpoint: Endpoint): Json[] {
  const header = (name: string, required: boolean, description: string) => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  });
  return [
    ...(endpoint.method === 'POST'
      ? [
          header(
            'Idempotency-Key',
            false,
            'Asked again with the same key, the first answer is given.',
          ),
        ]
      : []),
    ...(endpoint.ifMatch
      ? [header('If-Match', endpoint.ifMatch === 'required', 'The ETag of what was looked at.')]
      : []),
  ];
}

function successes(endpoint: Endpoint, components: Components): Json {
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([status, { description, schema, mediaType }]) => [
      status,
      {
        description,
        headers: {
          'X-Request-Id': { $ref: '#/components/headers/RequestId' },
          ...(endpoint.method === 'POST'
            ? { 'Idempotency-Replayed': { $ref: '#/components/headers/Replayed' } }
            : {}),
        },
        ...(schema || mediaType
          ? {
              content: {
                [mediaType ?? 'application/json']: {
                  schema: schema ? components.of(schema, 'output') : { type: 'string' },
                },
              },
            }
          : {}),
      },
    ]),
  );
}

/** What may go wrong, by status, each with the codes that it may have here. */
function failures(endpoint: Endpoint): Json {
  const codes: Code[] = [...(endpoint.codes ?? [])];
  if (endpoint.permission !== 'public') codes.push('UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED');
  if (endpoint.query || endpoint.body) codes.push('INVALID_INPUT');
  if (endpoint.body) codes.push('REQUIRED', 'UNKNOWN_FIELD', 'TOO_LARGE');
  if (endpoint.method === 'POST') codes.push('LOST_RACE');
  codes.push('BUSY', 'INTERNAL');
  const byStatus = new Map<number, Set<string>>();
  for (const code of codes) {
    const status = statusOf(code);
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [status, problemResponse([...found].sort().join(', '))]),
  );
}

const problemResponse = (description: string): Json => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

/** Converts zod schemas; those that have an id become shared components. */
class Components {
  readonly schemas: Record<string, Json> = {};

  of(schema: z.ZodType, io: 'input' | 'output'): Json {
    // within an object, so that a schema with an id of its own is a reference and not the root
    const made = z.toJSONSchema(z.object({ schema }), {
      io,
      unrepresentable: 'any',
      target: 'draft-2020-12',
    }) as unknown as { properties: { schema: Json }; $defs?: Record<string, Json> };
    for (const [name, definition] of Object.entries(made.$defs ?? {})) {
      const { id: _, ...rest } = definition;
      this.schemas[name] ??= relocated(rest) as Json;
    }
    return relocated(made.properties.schema) as Json;
  }
}

/** `#/$defs/X` → `#/components/schemas/X`, everywhere; members that say nothing are left out. */
function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [
        name,
        name === '$ref' && typeof member === 'string'
          ? member.replace('#/$defs/', '#/components/schemas/')
          : relocated(member),
      ]),
  );
}
