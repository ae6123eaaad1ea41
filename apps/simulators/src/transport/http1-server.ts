import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Provider, Verdict } from '../provider.ts';
import type { Outbox } from './outbox.ts';

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** Carries out a verdict as far as HTTP/1.1 can: what would end a stream ends the connection. */
const carryOut = (verdict: Verdict, response: ServerResponse): void => {
  if (verdict.does === 'silence') return;
  if (verdict.does !== 'answer') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (verdict.goaway === true) response.setHeader('connection', 'close');
  response.writeHead(verdict.status, [...verdict.headers]);
  response.end(verdict.body);
};

/** Serves a provider over HTTP/1.1. */
export const serveHttp1 = (provider: Provider, outbox: Outbox): Server => {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers, socket } = request;
    const body = await read(request);
    const verdict = provider.handle({ method, path: url, headers, body, connection: socket });
    const delayMs = verdict.does === 'answer' ? (verdict.delayMs ?? 0) : 0;
    outbox.post(delayMs, () => carryOut(verdict, response));
  };
  return createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
};
