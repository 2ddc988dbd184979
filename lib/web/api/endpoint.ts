import type * as z from 'zod';
import type { Verb } from '@/lib/domain/permissions';
import type { Code } from '@/lib/domain/refusal-codes';
import type { Ctx } from '@/lib/services/context';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** One request after the door's checks: who, the path's names, query and body in parsed form. */
export interface Call<Query = unknown, Body = unknown> {
  ctx: Ctx;
  params: Record<string, string>;
  query: Query;
  body: Body;
  request: Request;
}

/** An answer before it is written: JSON, nothing, or a response of its own (a stream). */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  stream?: ReadableStream<Uint8Array>;
}

export interface Endpoint {
  method: Method;
  /** Below `/api/v1`, with `{names}`. */
  path: string;
  /** Operation id in the OpenAPI document. */
  id: string;
  summary: string;
  description?: string;
  tag: 'people' | 'sources' | 'datasets' | 'releases' | 'subscribers' | 'audit' | 'document';
  /** What the caller's roles must allow; `public` needs no token. */
  permission: Verb | 'public';
  query?: z.ZodObject;
  /** The schema of the body; parsed here unless its verb does it (`parsedBy: 'verb'`). */
  body?: z.ZodType;
  parsedBy?: 'door' | 'verb';
  /** The body may be left out; it is `{}` then. */
  bodyOptional?: boolean;
  /** Served by the route file of `/releases/{release}/{move}`. */
  move?: boolean;
  maxBodyBytes?: number;
  /** Header that a call must, or may, bring. */
  ifMatch?: 'required' | 'optional';
  /** Answers that are successes. */
  answers: Record<number, { description: string; schema?: z.ZodType; mediaType?: string }>;
  /** Refusals and errors beyond those that every endpoint has. */
  codes?: readonly Code[];
  /** The answer holds a secret: it is kept for a repeated call only under the caller's own token. */
  secret?: boolean;
  handle(call: Call): Promise<Answer>;
  /**
   * The answer of a try that died after its commit, by the subject that its audit row names.
   */
  recover?(call: Call, subject: string): Promise<Answer>;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

interface Definition<Q extends z.ZodObject | undefined, B extends z.ZodType | undefined>
  extends Omit<Endpoint, 'query' | 'body' | 'handle' | 'recover'> {
  query?: Q;
  body?: B;
  handle(call: Call<Parsed<Q>, B extends undefined ? undefined : Parsed<B>>): Promise<Answer>;
  recover?(
    call: Call<Parsed<Q>, B extends undefined ? undefined : Parsed<B>>,
    subject: string,
  ): Promise<Answer>;
}

/** Declares an endpoint: once, for the route that serves it and for the document alike. */
export function endpoint<
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: Definition<Q, B>): Endpoint {
  return definition as unknown as Endpoint;
}

/** 200 with a JSON body. */
export const ok = (body: unknown, headers: Record<string, string> = {}): Answer => ({
  status: 200,
  body,
  headers,
});

export const noContent: Answer = { status: 204 };
