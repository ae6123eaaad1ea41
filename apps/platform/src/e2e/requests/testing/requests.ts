import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Method } from '@tidings/contract';
import { platformInProcesses, type LoggingWorld } from '@tidings/testing';

/** Every secret contains it: a search finds every leak. */
export const CANARY = 'c4n4ry';
export const EXAMPLE = 'A1B2C-3D4E5';
export const FORBID = 'Token restrictions forbid this operation';
export const DENIED = 'Access denied or application not found';
export const BODY_LIMIT = 10 * 1024 * 1024;

export interface Sent {
  readonly verb?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

export const ok = { status: 200, json: { status_code: 200, status_message: 'OK' } };
export const refused = (status_message: string, response: unknown = null) => ({
  status: 200,
  json: { status_code: 210, status_message, response },
});
export const bare = (status: number, status_message: string) => ({ status, json: { status_message, response: null } });
export const full = (status: number, status_message: string) => ({
  status,
  json: { status_code: status, status_message, response: null },
});
export const gateway = (status: number, code: number, message: string) => ({
  status,
  json: { code, message, details: [] },
});
export const malformed = bare(400, 'Malformed request string');

export const only = ({ status, json }: Reply) => ({ status, json });

export class RequestsUnderTest {
  world!: LoggingWorld;
  application!: string;
  sibling!: string;
  /** None may appear in a log, a metric or an error. */
  readonly secrets = new Map<string, string>();
  readonly failures: string[] = [];

  constructor() {
    beforeAll(async () => {
      this.world = await platformInProcesses({
        env: { LOG_LEVEL: 'trace' },
        processes: { hasEveryChannel: true },
      });
      this.application = await this.world.application();
      this.sibling = await this.world.application({ title: 'Sibling', ios: false, android: false });
      await this.world.call('addTag', { tag: { name: 'Level', type: 1 } });
      const device = { application: this.application, hwid: 'phone-1', device_type: 3 };
      await this.world.call('registerDevice', { ...device, tags: { Level: 5 } });
      const { admin, api, device: ofDevices } = this.world.secrets;
      this.secrets.set('administrator token', admin).set('API token', api).set('device token', ofDevices);
    });
    afterAll(() => this.world?.stop());
  }

  /** Every reply must be JSON, no page, and without stack traces or `base_url`. */
  readonly send = async (path: string, { verb = 'POST', headers = {}, body }: Sent = {}): Promise<Reply> => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = httpRequest(new URL(path, this.world.url), { method: verb, headers: { ...length, ...headers } });
    outgoing.end(body);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const content = await text(incoming);
    const status = incoming.statusCode!;
    const what = `${verb} ${path} ${String(body).slice(0, 200)} -> ${status} ${content.slice(0, 300)}`;
    if (status >= 400 || content.includes('"status_code":210')) this.failures.push(content);
    if (content === '') return { status, headers: incoming.headers, text: content, json: undefined };
    expect([what, incoming.headers['content-type']]).toEqual([what, 'application/json; charset=utf-8']);
    expect(content).not.toMatch(/<!doctype|<html|\bat \S+ \(|node_modules|\.[jt]s:\d+/i);
    const json = JSON.parse(content) as unknown;
    expect(json).not.toHaveProperty('base_url');
    return { status, headers: incoming.headers, text: content, json };
  };

  readonly api13 = (method: string, request: unknown, headers: Sent['headers'] = {}): Promise<Reply> =>
    this.send(`/json/1.3/${method}`, { headers, body: JSON.stringify({ request }) });
  readonly callMethod = ({ path, body }: Method, request: unknown, headers: Sent['headers'] = {}): Promise<Reply> =>
    this.send(path, { headers, body: JSON.stringify(body === 'bare' ? request : { request }) });
  readonly asDevice = (): Readonly<Record<string, string>> => ({ authorization: `Token ${this.world.secrets.device}` });
  readonly asServer = (): Readonly<Record<string, string>> => ({ authorization: `Api ${this.world.secrets.api}` });
  readonly asAdmin = (): Readonly<Record<string, string>> => ({ authorization: `Bearer ${this.world.secrets.admin}` });
  readonly v2 = (route: string, body: unknown, headers: Sent['headers'] = this.asServer()): Promise<Reply> =>
    this.send(`/api/v2/${route}`, { headers, body: JSON.stringify(body) });
  readonly messagesOf = async (code = this.application): Promise<number> =>
    (await this.world.call('messagesList', { filters: { application: code } })).total;
}
