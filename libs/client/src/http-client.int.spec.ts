import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { selfSigned } from '@tidings/testing';
import { HttpClient } from './http-client.ts';

describe('the transport of a client', () => {
  const usual = getCACertificates('default');
  const opened: { readonly server: Server; readonly client: HttpClient }[] = [];
  afterEach(() => {
    setDefaultCACertificates(usual);
    for (const { server, client } of opened.splice(0)) {
      client.close();
      server.closeAllConnections();
      server.close();
    }
  });

  async function clientOf(server: Server, scheme: 'http' | 'https'): Promise<HttpClient> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = new HttpClient(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`, 1);
    opened.push({ server, client });
    return client;
  }

  const files = selfSigned();
  const overTls = (): Promise<HttpClient> =>
    clientOf(
      createTlsServer(files, (request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ path: request.url }));
      }),
      'https',
    );

  it('reaches an https:// address whose certificate is trusted, repeatedly', async () => {
    setDefaultCACertificates([...usual, files.cert]);
    const client = await overTls();
    for (const path of ['/readyz', '/livez'])
      expect(await client.send(path)).toMatchObject({ status: 200, body: { path } });
  });

  it('rejects with the reason why a certificate is not trusted', async () => {
    const client = await overTls();
    await expect(client.send('/readyz')).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  it('ends a reply after the time limit of its request', async () => {
    const client = await clientOf(createServer(), 'http');
    await expect(client.send('/readyz', { timeoutMs: 20 })).rejects.toThrow('no reply to GET /readyz within 20 ms');
  });
});
