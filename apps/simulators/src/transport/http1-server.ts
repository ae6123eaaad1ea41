import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Provider, Reaction } from '../provider.ts';
import type { Outbox } from './outbox.ts';

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** Carries out a reaction within HTTP/1.1: reactions that end a stream end the connection. */
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

/** Serves a provider over HTTP/1.1. */
export const serveHttp1 = (provider: Provider, outbox: Outbox): Server => {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers, socket } = request;
    const body = await read(request);
    const reaction = provider.handle({ method, path: url, headers, body, connection: socket });
    const delayMs = reaction.does === 'answer' ? (reaction.delayMs ?? 0) : 0;
    outbox.post(delayMs, () => carryOut(reaction, response));
  };
  return createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
};
