import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectionFailureOf } from '@tidings/http2';
import type { Fault } from '@tidings/kernel';
import { AddressGuard, OutboundProxy } from '@tidings/runtime';
import { type ConnectProxy, insideHosts, selfSigned, startConnectProxy } from '@tidings/testing';
import { postFormBy } from './post-form.ts';

/** `unavailable` for names that this machine cannot look up. */
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
    const postForm = postFormBy({ guard: new AddressGuard([]) });
    for (const url of [`http://${host}:${port}/token`, `https://${host}:${port}/token`]) {
      await expect(postForm(url, {})).rejects.toMatchObject({ kind: expect.stringMatching(refusal) as unknown });
    }
    expect(connections).toBe(0);
  });

  it('is forbidden if its name has only private addresses', () =>
    expect(postFormBy({ guard: new AddressGuard([]) })(`http://localhost:${port}/token`, {})).rejects.toMatchObject({
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
  ])('is forbidden if it is not a web address: %j', (url) =>
    expect(postFormBy({ guard: new AddressGuard([]) })(url, {})).rejects.toMatchObject({ kind: 'forbidden' }),
  );

  it('is reached if the operator allows it, without following redirects', async () => {
    const postForm = postFormBy({ guard: new AddressGuard(['127.0.0.1/32']) });
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

describe('a token address behind a proxy', () => {
  const ADDRESS = '192.0.2.7';
  const NAME = 'tokens.example.com';
  let server: Server;
  let proxy: ConnectProxy;
  const [named, numbered] = [selfSigned({ host: NAME }), selfSigned({ host: ADDRESS })];

  beforeAll(async () => {
    const answer: RequestListener = (_request, response) => response.end('{}');
    // Literal addresses send no SNI.
    server = createSecureServer(
      { ...numbered, SNICallback: (_, use) => use(null, createSecureContext(named)) },
      answer,
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    proxy = await startConnectProxy({ routes: { [`${NAME}:443`]: port, [`${ADDRESS}:8443`]: port } });
  });
  afterAll(async () => {
    await proxy.close();
    server.close();
  });

  it('is reached by the name of a provider, and by the checked address of a caller', async () => {
    const by = new OutboundProxy(proxy.url);
    expect(await postFormBy({ ca: [named.cert], proxy: by })(`https://${NAME}/token`, {})).toEqual({
      status: 200,
      body: '{}',
    });
    const guard = new AddressGuard([`${ADDRESS}/32`]);
    const postForm = postFormBy({ ca: [numbered.cert], proxy: by, guard });
    expect(await postForm(`https://${ADDRESS}:8443/token`, {})).toEqual({ status: 200, body: '{}' });
    expect(proxy.requests).toEqual([{ to: `${NAME}:443` }, { to: `${ADDRESS}:8443` }]);
    await expect(postForm('https://10.0.0.1/token', {})).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(postForm('https://localhost/token', {})).rejects.toMatchObject({ kind: 'forbidden' });
    expect(proxy.requests).toHaveLength(2);
  });

  it('is unavailable, with a named cause, if the proxy does not reach it', async () => {
    const postForm = postFormBy({ proxy: new OutboundProxy(proxy.url) });
    const fault = await postForm('https://other.example.com/token', {}).catch((error: unknown) => error as Fault);
    expect(fault).toMatchObject({ kind: 'unavailable' });
    expect(connectionFailureOf((fault as Fault).cause as Error)).toBe('proxy_failed');
  });
});
