import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressGuard } from '@tidings/runtime';
import { insideHosts } from '@tidings/testing';
import { guardedPostForm } from './post-form.ts';

/** The second for names that this machine cannot look up. */
const refusal = /forbidden|unavailable/;

describe('a caller-supplied token address', () => {
  let connections = 0;
  let redirectTo = '';
  const servers: Server[] = [];
  let port: number;

  const listen = async (host: string, at: number, answer: RequestListener): Promise<number> => {
    const server = createServer(answer);
    server.on('connection', () => connections++);
    await once(server.listen(at, host), 'listening');
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };

  beforeAll(async () => {
    port = await listen('0.0.0.0', 0, (_request, response) => {
      if (redirectTo === '') response.end('{}');
      else response.writeHead(302, { location: redirectTo }).end();
    });
    await listen('::1', port, (_request, response) => response.end('{}'));
  });
  afterAll(() => servers.forEach((server) => server.close()));

  it.each(insideHosts)('opens no connection to %s', async (host) => {
    const postForm = guardedPostForm(new AddressGuard([]));
    for (const url of [`http://${host}:${port}/token`, `https://${host}:${port}/token`]) {
      await expect(postForm(url, {})).rejects.toMatchObject({ kind: expect.stringMatching(refusal) as unknown });
    }
    expect(connections).toBe(0);
  });

  it('is forbidden when its name has none but inside addresses', () =>
    expect(guardedPostForm(new AddressGuard([]))(`http://localhost:${port}/token`, {})).rejects.toMatchObject({
      kind: 'forbidden',
    }));

  it.each([
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'ftp://127.0.0.1/',
    'unix:/run/x',
    '//127.0.0.1/',
    '',
    'http://',
  ])('is forbidden where it is no web address: %j', (url) =>
    expect(guardedPostForm(new AddressGuard([]))(url, {})).rejects.toMatchObject({ kind: 'forbidden' }),
  );

  it('is reached where the operator allows it, without following redirects', async () => {
    const postForm = guardedPostForm(new AddressGuard(['127.0.0.1/32']));
    for (const host of ['127.0.0.1', '127.1', '0x7f000001']) {
      expect(await postForm(`http://${host}:${port}/token`, {})).toEqual({ status: 200, body: '{}' });
    }
    expect(connections).toBe(3);
    for (const to of [`http://127.0.0.2:${port}/`, `http://[::1]:${port}/`, 'http://169.254.169.254/latest/']) {
      redirectTo = to;
      expect((await postForm(`http://127.0.0.1:${port}/token`, {})).status).toBe(302);
    }
    expect(connections).toBe(6);
  });
});
