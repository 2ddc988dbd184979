import { plainHeaders, readiness } from '@/lib/web/health';

export const dynamic = 'force-dynamic';

/** Requests can be served: the database answers and has our tables. */
export async function GET(): Promise<Response> {
  const { ready, body } = await readiness();
  return Response.json(body, { status: ready ? 200 : 503, headers: plainHeaders });
}
