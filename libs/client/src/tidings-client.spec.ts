import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MethodName } from './api-client.ts';
import { TidingsClient } from './tidings-client.ts';

interface Sent {
  readonly request: { readonly notifications?: readonly { readonly transactionId: string }[]; transactionId?: string };
}

describe('the client for backends', () => {
  let server: Server;
  let client: TidingsClient;
  let sent: Sent[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      void json(request).then((body) => {
        const isFirst = sent.push(body as Sent) === 1;
        const [status, code] = isFirst ? [500, 500] : [200, 200];
        response.writeHead(status, { 'content-type': 'application/json', ...(isFirst && { 'retry-after': '0' }) });
        response.end(JSON.stringify({ status_code: code, status_message: 'x', response: {} }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = new TidingsClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiToken: 'a' });
  });
  afterAll(() => {
    client.close();
    server.close();
  });
  beforeEach(() => {
    sent = [];
  });

  it.each<MethodName>(['createMessage', 'createEmailMessage', 'createSMSMessage', 'createWhatsAppMessage'])(
    'repeats %s with the same ids of its messages',
    async (name) => {
      await client.call(name, { notifications: [{ content: 'x' }, { content: 'x', transactionId: 'mine' }] });
      const [first, second] = sent.map(({ request }) =>
        request.notifications!.map(({ transactionId }) => transactionId),
      );
      expect(first).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'mine']);
      expect(second).toEqual(first);
    },
  );

  it('repeats createTargetedMessage with the same id', async () => {
    await client.call('createTargetedMessage', { content: 'x' });
    const [first, second] = sent.map(({ request }) => request.transactionId);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first);
  });

  it('does not repeat what would count twice', async () => {
    await expect(client.call('setPurchase', { hwid: 'x' })).rejects.toMatchObject({ reply: { status: 500 } });
    expect(sent).toHaveLength(1);
  });
});
