import { startEmbedded } from '@/lib/db/embedded';

// A process that starts a server and then does nothing, for a test to kill.
const server = await startEmbedded({ folder: process.argv[2] ?? '', durable: false });
process.send?.({ pid: server.pid });
setInterval(() => {}, 60_000);
