import { plainHeaders } from '@/lib/web/health';

export const dynamic = 'force-dynamic';

/** The process answers; it says nothing of the database, so that a restart is not asked for it. */
export function GET(): Response {
  return Response.json({ status: 'ok' }, { headers: plainHeaders });
}
