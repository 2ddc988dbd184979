import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** As it came. */
  text: string;
  body: {
    id: string;
    kind: string;
    dataset: string | null;
    subject: string;
    [more: string]: unknown;
  };
}

export interface Receiver {
  url: string;
  calls: Received[];
  /** How it answers from now on; 200 unless said. */
  answer: (response: ServerResponse, call: Received) => void;
  close(): Promise<void>;
}

/** For tests: a subscriber's server, on a port of its own. */
export async function openReceiver(): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    calls: [],
    answer: (response) => response.end('thanks'),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const { method = '', url = '', headers } = request;
    const call = { method, url, headers, text, body: text === '' ? null : JSON.parse(text) };
    receiver.calls.push(call);
    receiver.answer(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
  return receiver;
}
