import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ProviderFaults } from '../provider-faults.ts';
import type { Provider, Reaction } from '../provider.ts';
import type { Outbox } from './outbox.ts';

/** Longer than a busy client's pauses, which would write to a closing connection. */
const KEEP_ALIVE_MS = 60_000;

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** Reactions that end a stream end the connection. */
const carryOut = (reaction: Reaction, response: ServerResponse): void => {
  if (reaction.does === 'silence') return;
  if (reaction.does !== 'answer') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (reaction.goaway === true) response.setHeader('connection', 'close');
  response.writeHead(reaction.status, [...reaction.headers]);
  response.end(reaction.body);
};

export interface Http1Options {
  readonly provider: Provider;
  readonly faults: Readonly<ProviderFaults>;
  readonly outbox: Outbox;
  /** Called for a connection that was reset unread. */
  readonly countReset: () => void;
}

const nth = (every: number, number: number): boolean => every > 0 && number % every === 0;

/** In place of GOAWAY, closes the connection after the answer. */
export const serveHttp1 = ({ provider, faults, outbox, countReset }: Http1Options): Server => {
  const counts = new WeakMap<object, number>();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers, socket } = request;
    const count = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, count);
    if (nth(faults.resetEvery, count)) {
      countReset();
      socket.resetAndDestroy();
      return;
    }
    if (nth(faults.goawayEvery, count)) response.setHeader('connection', 'close');
    const body = await read(request);
    const reaction = provider.handle({ method, path: url, headers, body, connection: socket });
    const delayMs = reaction.does === 'answer' ? (reaction.delayMs ?? 0) : 0;
    outbox.post(delayMs, () => carryOut(reaction, response));
  };
  return createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
};
