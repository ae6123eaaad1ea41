import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Method } from '@tidings/contract';
import { platformInProcesses, type LoggingWorld } from '@tidings/testing';

/** Secrets of ours begin with this, so that a search for it finds every place that one leaked to. */
export const CANARY = 'c4n4ry';
/** The application code that the contract's examples use. */
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

export let world: LoggingWorld;
export let application: string;
/** Another one of the same account. */
export let sibling: string;
/** Every token and key that this suite knows; none may be seen anywhere. */
export const secrets = new Map<string, string>();
/** The text of everything that was answered to a request that failed. */
export const failures: string[] = [];

beforeAll(async () => {
  world = await platformInProcesses({ env: { LOG_LEVEL: 'trace' } });
  application = await world.application();
  sibling = await world.application({ title: 'Sibling', ios: false, android: false });
  await world.call('addTag', { tag: { name: 'Level', type: 1 } });
  await world.call('registerDevice', { application, hwid: 'phone-1', device_type: 3, tags: { Level: 5 } });
  const { admin, api: ofServers, device } = world.secrets;
  secrets.set('administrator token', admin).set('API token', ofServers).set('device token', device);
});
afterAll(() => world?.stop());

/** Sends exactly what it is told, and holds every reply against what all of them have to keep: JSON, no page, no trace, no new home. */
export async function send(path: string, { verb = 'POST', headers = {}, body }: Sent = {}): Promise<Reply> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = httpRequest(new URL(path, world.url), { method: verb, headers: { ...length, ...headers } });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const content = await text(incoming);
  const status = incoming.statusCode!;
  const what = `${verb} ${path} ${String(body).slice(0, 200)} -> ${status} ${content.slice(0, 300)}`;
  if (status >= 400 || content.includes('"status_code":210')) failures.push(content);
  if (content === '') return { status, headers: incoming.headers, text: content, json: undefined };
  expect([what, incoming.headers['content-type']]).toEqual([what, 'application/json; charset=utf-8']);
  expect(content).not.toMatch(/<!doctype|<html|\bat \S+ \(|node_modules|\.[jt]s:\d+/i);
  const json = JSON.parse(content) as unknown;
  expect(json).not.toHaveProperty('base_url');
  return { status, headers: incoming.headers, text: content, json };
}

export const api13 = (method: string, request: unknown, headers: Sent['headers'] = {}): Promise<Reply> =>
  send(`/json/1.3/${method}`, { headers, body: JSON.stringify({ request }) });
/** A method-style method, wherever it is served. */
export const asked = ({ path, body }: Method, request: unknown, headers: Sent['headers'] = {}): Promise<Reply> =>
  send(path, { headers, body: JSON.stringify(body === 'bare' ? request : { request }) });
export const asDevice = (): Readonly<Record<string, string>> => ({ authorization: `Token ${world.secrets.device}` });
export const asServer = (): Readonly<Record<string, string>> => ({ authorization: `Api ${world.secrets.api}` });
export const asAdmin = (): Readonly<Record<string, string>> => ({ authorization: `Bearer ${world.secrets.admin}` });
export const v2 = (route: string, body: unknown, headers: Sent['headers'] = asServer()): Promise<Reply> =>
  send(`/api/v2/${route}`, { headers, body: JSON.stringify(body) });

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

export const messagesOf = async (code = application): Promise<number> =>
  (await world.call('messagesList', { filters: { application: code } })).total;
