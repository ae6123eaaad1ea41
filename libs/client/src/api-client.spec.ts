import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { api } from '@tidings/contract';
import { ApiClient, type MethodName } from './api-client.ts';
import type { Sent } from './http-client.ts';

const envelope = (code: number) => JSON.stringify({ status_code: code, status_message: 'x', response: null });

describe('a client of the API', () => {
  let server: Server;
  let client: ApiClient;
  let came = 0;
  let refused = 0;
  let headers: Record<string, string> = {};
  let text: string | undefined;

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      const isRefused = ++came <= refused;
      const type = text === undefined ? 'application/json' : 'text/plain';
      response.writeHead(isRefused ? 500 : 200, { 'content-type': type, ...(isRefused ? headers : {}) });
      response.end(text ?? envelope(isRefused ? 500 : 200));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { api: 'a', device: 'd' }, 1);
  });
  afterAll(() => {
    client.close();
    server.close();
  });
  beforeEach(() => {
    [came, refused, headers, text] = [0, 2, { 'retry-after': '0' }, undefined];
  });

  it.each<[MethodName, object]>([
    ['registerDevice', { hwid: 'x', tags: { Level: 1 } }],
    ['setTags', { hwid: 'x', tags: { Level: 1, List: ['a'], Gone: null } }],
    ['createMessage', { notifications: [{ content: 'x', transactionId: '1' }] }],
    ['createApplication', { title: 'x' }],
  ])('repeats %s %j while the reply requests it', async (name, parameters) => {
    await client.call(name, { ...parameters });
    expect(came).toBe(3);
  });

  it.each<[MethodName, object]>([
    ['setTags', { hwid: 'x', tags: { Level: { operation: 'increment', value: 1 } } }],
    ['registerDevice', { hwid: 'x', tags: { Level: { operation: 'increment', value: 1 } } }],
    ['createMessage', { notifications: [{ content: 'x', transactionId: '1' }, { content: 'x' }] }],
    ['postEvent', { hwid: 'x', event: 'e' }],
    ['setPurchase', { hwid: 'x' }],
  ])('does not repeat %s %j, which would count twice', async (name, parameters) => {
    await expect(client.call(name, { ...parameters })).rejects.toMatchObject({ reply: { status: 500 } });
    expect(came).toBe(1);
  });

  it('does not repeat a call that failed for another reason', async () => {
    headers = {};
    await expect(client.call('registerDevice', { hwid: 'x' })).rejects.toMatchObject({ reply: { status: 500 } });
    expect(came).toBe(1);
  });

  it('returns the text of a file, and throws a failure report in its place', async () => {
    refused = 0;
    const file = { application: 'A1B2C-3D4E5', file: 'ios_push_certificate' };
    text = '-----BEGIN CERTIFICATE-----';
    expect(await client.call('getApplicationFile', file)).toBe(text);
    [came, refused, headers, text] = [0, 1, {}, undefined];
    await expect(client.call('getApplicationFile', file)).rejects.toMatchObject({ reply: { status: 500 } });
  });

  it.each<MethodName>(['listProviders', 'compileFilter', 'registerDevice', 'deleteToken'])(
    'waits for the reply to %s longer than the gateway works on it',
    async (name) => {
      const timeouts: (number | undefined)[] = [];
      const waiting = new ApiClient('http://127.0.0.1:1', {}, 1);
      waiting.http.send = async (_path: string, { timeoutMs }: Sent = {}) => {
        timeouts.push(timeoutMs);
        return { status: 200, headers: {}, body: '' };
      };
      await waiting.reply(name, { id: 'x' });
      expect(timeouts).toEqual([api[name].deadlineMs + 20_000]);
    },
  );
});
