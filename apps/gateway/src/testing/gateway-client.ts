import { Agent, request } from 'node:http';
import type { GatewayDeps } from '../create-gateway.ts';
import { ADMINISTRATOR, World } from './gateway-world.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

function bodyOf(text: string, type: string | undefined): unknown {
  if (text === '') return undefined;
  return /^(?:text\/html|image\/)/.test(type ?? '') ? text : JSON.parse(text);
}

const exchange = (
  url: URL,
  options: { method: string; path: string; headers: Readonly<Record<string, string>>; agent: Agent },
  payload: string | Buffer | undefined,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          body: bodyOf(text, response.headers['content-type']),
          headers: response.headers,
        });
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });

export async function openClient(world: World = new World(), more: Partial<GatewayDeps> = {}) {
  const app = await world.gateway(more);
  await app.listen(0, '127.0.0.1');
  const url = new URL(await app.getUrl());
  const agent = new Agent({ keepAlive: true });

  /** Sends paths unchanged, unlike fetch. */
  const send = (
    method: string,
    path: string,
    payload?: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const length = String(Buffer.byteLength(payload ?? ''));
    return exchange(url, { method, path, headers: { 'content-length': length, ...headers }, agent }, payload);
  };
  return {
    url,
    server: app.getHttpServer(),
    send,
    json13: (name: string, parameters: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> =>
      send('POST', `/json/1.3/${name}`, JSON.stringify({ request: parameters }), headers),
    raw: async (name: string, parameters: unknown, headers: Readonly<Record<string, string>> = {}) => {
      const sent = await fetch(new URL(`/json/1.3/${name}`, url), {
        method: 'POST',
        headers,
        body: JSON.stringify({ request: parameters }),
      });
      return { status: sent.status, type: sent.headers.get('content-type'), text: await sent.text() };
    },
    apiV2: (path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> =>
      send('POST', `/api/v2/${path}`, JSON.stringify(body), headers),
    admin: (verb: string, path: string, body?: unknown, secret = ADMINISTRATOR): Promise<Answer> =>
      send(verb, `/admin/v1/${path}`, body === undefined ? undefined : JSON.stringify(body), {
        authorization: `Bearer ${secret}`,
      }),
    /** As a deployment does, with connections still open. */
    shutDown: (): Promise<void> => app.close(),
    async close(): Promise<void> {
      agent.destroy();
      await app.close();
    },
  };
}

export type Client = Awaited<ReturnType<typeof openClient>>;
