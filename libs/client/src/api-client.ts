import { setTimeout as delay } from 'node:timers/promises';
import { api, type Method, type OutputOf } from '@tidings/contract';
import { HttpClient, type Reply } from './http-client.ts';
import type { MethodName } from './method-name.ts';
import { isRepeatable } from './repeatable.ts';
import { retryDelayMs } from './retry-delay.ts';

export type { MethodName } from './method-name.ts';

const TIMEOUT_MS = 60_000;

/** Beyond the method's own time limit, within which the gateway answers. */
const REPLY_MS = 20_000;

export interface Secrets {
  readonly admin: string;
  readonly api: string;
  readonly device: string;
}

export type ReplyOf<Name extends MethodName> = OutputOf<(typeof api)[Name]>;

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reply: Reply;

  constructor(method: string, reply: Reply) {
    super(`${method}: HTTP ${reply.status} ${JSON.stringify(reply.body)}`);
    this.reply = reply;
  }
}

const isFile = ({ status, body }: Reply): boolean => status === 200 && typeof body === 'string';

export class ApiClient {
  readonly http: HttpClient;
  readonly #secrets: Partial<Secrets>;

  constructor(bases: string | readonly string[], secrets: Partial<Secrets>, connections?: number) {
    this.http = new HttpClient(bases, connections);
    this.#secrets = secrets;
  }

  /** Repeats repeatable calls for a minute on Retry-After. @throws Refusal */
  async call<Name extends MethodName>(
    name: Name,
    parameters: Readonly<Record<string, unknown>> = {},
  ): Promise<ReplyOf<Name>> {
    const method: Method = api[name];
    const reply = await this.#patientReply(name, parameters);
    if (method.family !== 'json13') {
      if (reply.status !== method.status) throw new Refusal(name, reply);
      return reply.body as ReplyOf<Name>;
    }
    if (method.textReply && isFile(reply)) return reply.body as ReplyOf<Name>;
    const envelope = reply.body as { status_code?: number; response?: unknown };
    if (reply.status !== 200 || envelope.status_code !== 200) throw new Refusal(name, reply);
    return envelope.response as ReplyOf<Name>;
  }

  reply(name: MethodName, parameters: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
    const method: Method = api[name];
    const rest = new Map(Object.entries(parameters));
    const path = method.path.replaceAll(/\{(\w+)\}/g, (_whole, field: string) => {
      const value = rest.get(field);
      rest.delete(field);
      return encodeURIComponent(String(value));
    });
    const fields = Object.fromEntries(rest);
    const common = { method: method.verb, headers: this.#headers(method), timeoutMs: method.deadlineMs + REPLY_MS };
    if (method.verb === 'GET' || method.verb === 'DELETE') {
      const query = new URLSearchParams(
        Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
      );
      return this.http.send(query.size > 0 ? `${path}?${query.toString()}` : path, common);
    }
    return this.http.send(path, {
      ...common,
      body:
        method.body === 'bare'
          ? { ...this.#auth(method), ...fields }
          : { request: { ...this.#auth(method), ...fields } },
    });
  }

  async #patientReply(name: MethodName, parameters: Readonly<Record<string, unknown>>): Promise<Reply> {
    const giveUpAt = performance.now() + TIMEOUT_MS;
    for (;;) {
      const reply = await this.reply(name, parameters);
      const retryAfter = reply.headers['retry-after'];
      const comesAgain = reply.status >= 500 && retryAfter !== undefined && isRepeatable(name, parameters);
      if (!comesAgain || performance.now() > giveUpAt) return reply;
      await delay(retryDelayMs(retryAfter));
    }
  }

  v2(route: string, body: unknown): Promise<Reply> {
    const headers = { authorization: `Api ${this.#secrets.api ?? ''}` };
    return this.http.send(`/api/v2/${route}`, { method: 'POST', headers, body });
  }

  close(): void {
    this.http.close();
  }

  #auth({ scope }: Method): Record<string, string> {
    return scope === 'api' && this.#secrets.api !== undefined ? { auth: this.#secrets.api } : {};
  }

  #headers({ scope }: Method): Record<string, string> {
    const authorization = {
      admin: `Bearer ${this.#secrets.admin}`,
      server: `Api ${this.#secrets.api}`,
      device: `Token ${this.#secrets.device}`,
      api: undefined,
      none: undefined,
      optional: undefined,
    }[scope];
    return authorization === undefined ? {} : { authorization };
  }
}

export async function issueTokens(base: string, admin: string, account?: string): Promise<Secrets> {
  const operator = new ApiClient(base, { admin }, 2);
  const ofAccount = { applications: 'all', ...(account !== undefined && { account }) };
  try {
    const [apiToken, deviceToken] = await Promise.all([
      operator.call('createToken', { scope: 'api', ...ofAccount }),
      operator.call('createToken', { scope: 'device', ...ofAccount }),
    ]);
    return { admin, api: apiToken.token, device: deviceToken.token };
  } finally {
    operator.close();
  }
}
