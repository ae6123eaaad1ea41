import { Agent, type ClientRequest, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** @default 30000 */
  readonly timeoutMs?: number;
}

/** Shorter than the server's, which must not close while a request is on its way. */
const TIMEOUT_MS = 30_000;

interface Base {
  readonly url: URL;
  readonly agent: Agent;
  readonly request: (url: URL, options: RequestOptions, onReply: (reply: IncomingMessage) => void) => ClientRequest;
}

function baseAt(address: string, connections: number): Base {
  const url = new URL(address);
  const options = { keepAlive: true, maxSockets: connections, scheduling: 'fifo', timeout: TIMEOUT_MS } as const;
  return url.protocol === 'https:'
    ? { url, agent: new TlsAgent(options), request: tlsRequest }
    : { url, agent: new Agent(options), request };
}

export class HttpClient {
  readonly #bases: readonly Base[];
  #sent = 0;

  /** @param bases used in turn @param connections per base @default 32 */
  constructor(bases: string | readonly string[], connections = 32) {
    this.#bases = [bases].flat().map((base) => baseAt(base, connections));
  }

  /** Rejects only if there is no reply. */
  async send(path: string, { method = 'GET', headers = {}, body, timeoutMs = TIMEOUT_MS }: Sent = {}): Promise<Reply> {
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const { url, agent, request } = this.#bases[this.#sent++ % this.#bases.length]!;
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(
        new URL(path, url),
        {
          agent,
          method,
          headers: {
            ...(payload === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
            ...headers,
          },
          timeout: timeoutMs,
        },
        resolve,
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no reply to ${method} ${path} within ${timeoutMs} ms`)));
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
    const content = await text(reply);
    return { status: reply.statusCode ?? 0, headers: reply.headers, body: parsed(content, reply) };
  }

  close(): void {
    for (const { agent } of this.#bases) agent.destroy();
  }
}

const parsed = (content: string, { headers }: IncomingMessage): unknown =>
  content !== '' && headers['content-type']?.includes('json') ? (JSON.parse(content) as unknown) : content;
