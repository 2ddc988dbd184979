import { sql } from 'drizzle-orm';
import { one } from '@/lib/db/client';
import { errorForLog } from '@/lib/db/error-for-log';
import { webDatabase } from '@/lib/web/db';
import { log } from '@/lib/web/log';

export const plainHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

const patienceMs = 3_000;

/** Whether requests can be served now. Why not is in the log; who asks is nobody we know. */
export async function readiness(): Promise<{ ready: boolean; body: Record<string, string> }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database does not answer')), patienceMs);
  });
  try {
    const asked = one<{ there: boolean }>(
      webDatabase(),
      sql`select to_regclass('control.registry') is not null as there`,
    );
    const { there } = await Promise.race([asked, late]);
    return there
      ? { ready: true, body: { status: 'ready' } }
      : { ready: false, body: { status: 'not ready', why: 'the database is not migrated' } };
  } catch (error) {
    log().warn(errorForLog(error), 'not ready');
    return { ready: false, body: { status: 'not ready', why: 'the database does not answer' } };
  } finally {
    clearTimeout(timer);
  }
}
