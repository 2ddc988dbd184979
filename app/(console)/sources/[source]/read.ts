import { type SourceLog, sourceLog } from '@/lib/queries/source-log';
import { streamState } from '@/lib/services/demo';
import type { PageCall } from '@/lib/web/page-data';

/** The demo writes its live events to this source. */
const DEMO_SOURCE = 'orders';

export interface SourceData extends SourceLog {
  /** The demo's switch for live events; null where this is no source of a demo. */
  stream: { on: boolean; since: string; by: string } | null;
}

export async function readSource(db: PageCall['db'], name: string): Promise<SourceData> {
  const log = await sourceLog(db, name);
  return { ...log, stream: name === DEMO_SOURCE ? await streamState(db) : null };
}
