import { problemResponse } from '@/lib/web/api/respond';
import { webDatabase } from '@/lib/web/db';
import { plainHeaders } from '@/lib/web/health';
import { metricsText } from '@/lib/web/metrics';
import { newRequestId, problemOf } from '@/lib/web/problem';

export const dynamic = 'force-dynamic';

export async function GET(): Promise<Response> {
  try {
    const { type, text } = await metricsText(webDatabase());
    return new Response(text, { headers: { ...plainHeaders, 'content-type': type } });
  } catch (error) {
    return problemResponse(problemOf(error, newRequestId()));
  }
}
