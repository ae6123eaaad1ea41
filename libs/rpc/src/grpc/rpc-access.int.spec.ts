import { afterEach, describe, expect, it } from '@jest/globals';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { masterKeyId } from '@tidings/runtime';
import { certificateAuthority } from '@tidings/testing';
import { type Echo, echoDefinition, Echoing } from '../rpc.features.ts';
import { expectedMasterKeyId, type RpcAccess } from './rpc-access.ts';
import { wireMethod } from './codecs.ts';
import { remote } from './remote.ts';
import { openReplicas } from './replicas.ts';
import { serve } from './testing/rpc-process.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function served(access: RpcAccess) {
  let calls = 0;
  const echo: Echo = {
    say: async ({ text }) => ({ text: `${text} ${++calls}` }),
    repeat: (request) => new Echoing().repeat(request),
  };
  const process = await serve([[echoDefinition, echo]], { access, drainMs: 0 });
  closers.push(() => process.close());
  return { process, calls: () => calls };
}

async function calling(port: number, access: RpcAccess, host = 'service.test'): Promise<Echo> {
  const replicas = await openReplicas(`${host}:${port}`, { access, resolve: async () => ['127.0.0.1'] });
  closers.push(() => replicas.close());
  return remote<Echo>(echoDefinition, replicas, { deadlineMs: 1_000 });
}

async function codeOfStranger(port: number, channel = credentials.createInsecure(), metadata = new Metadata()) {
  const client = new Client(`127.0.0.1:${port}`, channel);
  closers.push(() => client.close());
  const { path, requestSerialize, responseDeserialize } = wireMethod(echoDefinition, echoDefinition.methods['say']);
  const deadline = Date.now() + 10_000;
  return new Promise<status>((resolve) => {
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { text: 'a' },
      metadata,
      { deadline },
      (error) => resolve(error?.code ?? status.OK),
    );
  });
}

const keyed = (...bytes: number[]): RpcAccess => ({ masterKeys: bytes.map((byte) => Buffer.alloc(32, byte)) });

describe('calls between processes without TLS', () => {
  it('are answered if both have the same master key, and refused unread otherwise', async () => {
    const { process, calls } = await served(keyed(1));
    expect(await (await calling(process.port, keyed(1))).say({ text: 'a' })).toEqual({ text: 'a 1' });
    const refused = await (await calling(process.port, keyed(2))).say({ text: 'a' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'unavailable', internal: expect.stringContaining('no key of this') });
    expect(expectedMasterKeyId(refused)).toBe(masterKeyId(Buffer.alloc(32, 1)));
    expect(calls()).toBe(1);
  });

  it('are refused without a key, and with one that is not of the deployment', async () => {
    const { process, calls } = await served(keyed(1));
    expect(await codeOfStranger(process.port)).toBe(status.UNAUTHENTICATED);
    for (const key of ['', 'x', '0'.repeat(64), Buffer.alloc(32, 1).toString('hex')]) {
      const metadata = new Metadata();
      metadata.set('tidings-key', key);
      expect(await codeOfStranger(process.port, undefined, metadata)).toBe(status.UNAUTHENTICATED);
    }
    expect(calls()).toBe(0);
  });

  it('are answered during a change of the master key: one common key is enough', async () => {
    const [before, during, after] = [keyed(1), keyed(2, 1), keyed(2)];
    for (const [server, client] of [
      [before, during],
      [during, before],
      [during, after],
      [after, during],
    ] as const) {
      const { process } = await served(server);
      expect(await (await calling(process.port, client)).say({ text: 'a' })).toEqual({ text: 'a 1' });
    }
  });
});

describe('calls between processes with mutual TLS', () => {
  const authority = certificateAuthority('deployment');
  const stranger = certificateAuthority('another');
  const { ca } = authority;
  const server = { tls: { ...authority.issue('service.test'), ca } };
  const client = { tls: { ...authority.issue('gateway.test'), ca } };

  it('are answered if the certificates are of one CA', async () => {
    const { process } = await served(server);
    expect(await (await calling(process.port, client)).say({ text: 'a' })).toEqual({ text: 'a 1' });
  });

  it.each([
    ['a client without TLS', () => credentials.createInsecure()],
    ['a client without a certificate', () => credentials.createSsl(Buffer.from(ca))],
    [
      'a client with a certificate of another CA',
      () => {
        const { cert, key } = stranger.issue('gateway.test');
        return credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(cert));
      },
    ],
  ])('are not answered for %s', async (_, channel) => {
    const { process, calls } = await served(server);
    expect(await codeOfStranger(process.port, channel())).not.toBe(status.OK);
    expect(calls()).toBe(0);
  });

  it.each([
    ['a service of another CA', { tls: { ...stranger.issue('service.test'), ca } }, 'service.test'],
    ['a service of another name', server, 'registry.test'],
    ['a service without TLS', keyed(1), 'service.test'],
  ] as const)('are not sent to %s', async (_, access, host) => {
    const { process, calls } = await served(access);
    const echo = await calling(process.port, client, host);
    await expect(echo.say({ text: 'a' })).rejects.toMatchObject({ kind: 'unavailable' });
    expect(calls()).toBe(0);
  });
});
