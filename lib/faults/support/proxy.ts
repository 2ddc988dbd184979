import { once } from 'node:events';
import { createServer, type Server, type Socket, connect as tcp } from 'node:net';

/** What the server says once a transaction is committed. */
const committed = Buffer.from('COMMIT\0');

/**
 * Stands between a client and PostgreSQL and can lose an answer: the server has committed, and the
 * connection breaks before the client hears of it.
 */
export class LossyProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** How many more commits pass until one's answer is lost; null: none is. */
  #left: number | null = null;
  lost = 0;

  private constructor(
    server: Server,
    readonly url: string,
  ) {
    this.#server = server;
  }

  /** @param target the server's URL; the proxy's own is the same but for host and port */
  static async to(target: string): Promise<LossyProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String(address.port);
    const proxy = new LossyProxy(server, url.href);
    server.on('connection', (client) => proxy.#join(client, tcp(Number(port), hostname)));
    return proxy;
  }

  /** Loses the answer to the n-th commit from now. */
  loseCommit(n = 1): void {
    this.#left = n;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    const both = [client, server];
    for (const socket of both) {
      this.#sockets.add(socket);
      // the other end tells whoever has to know
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        for (const each of both) each.destroy();
      });
    }
    client.on('data', (data) => server.write(data));
    server.on('data', (data) => {
      if (this.#left !== null && data.includes(committed)) this.#left -= 1;
      if (this.#left !== 0) {
        client.write(data);
        return;
      }
      this.#left = null;
      this.lost += 1;
      for (const each of both) each.destroy();
    });
  }
}
