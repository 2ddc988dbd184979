import * as fs from 'node:fs';
import { type ConnectionRole, connect, type Database } from '@/lib/db/client';
import { type EmbeddedServer, startEmbedded } from '@/lib/db/embedded';
import { migrate } from '@/lib/db/migrate';
import { ensureRoles } from '@/lib/db/roles';
import { forgetDead } from '@/lib/faults/support/forget-dead';
import type { TestDatabase } from '@/lib/testing/database';
import { throwAwayFolder } from '@/lib/testing/throw-away';

/** A PostgreSQL of its own, with durable settings, that may be stopped hard. */
export interface Cluster extends TestDatabase {
  /**
   * Ends the server without a checkpoint and starts it again on the same port.
   *
   * @param how `immediate` is its own immediate shutdown; `kill` leaves it not even that
   */
  crash(how: 'immediate' | 'kill'): Promise<void>;
}

export async function ownCluster(): Promise<Cluster> {
  const folder = await throwAwayFolder();
  let server: EmbeddedServer = await startEmbedded({ folder, durable: true });
  const { url } = server;
  await migrate(url);
  const open: Database[] = [];
  const another = (role: ConnectionRole, max?: number) => {
    const db = connect(url, max === undefined ? { role } : { role, max });
    open.push(db);
    return db;
  };
  const db = another('tool');
  await ensureRoles(db);
  return {
    url,
    name: 'interlock',
    db,
    connect: another,
    crash: async (how) => {
      const gone = server.untilGone();
      process.kill(server.pid, how === 'immediate' ? 'SIGQUIT' : 'SIGKILL');
      await gone;
      server = await startEmbedded({ folder, durable: true });
      if (server.url !== url) throw new Error('the server came back at another address');
      for (const each of open) await forgetDead(each);
    },
    close: async () => {
      await Promise.all(open.map((each) => each.close()));
      await server.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
