import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { api, BODY_LIMIT_BYTES, bodyLimitsOf } from '@tidings/contract';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { readBody } from './body.ts';
import { bodyFormOf, objectIn } from './parameters.ts';

const BULK = api.bulkSetTags.path;

let client: Client;
beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.close());

async function statuses(count: number, ...sent: readonly (string | Buffer)[]): Promise<number[]> {
  const socket = connect({ port: Number(client.url.port), host: client.url.hostname });
  try {
    await once(socket, 'connect');
    for (const bytes of sent) await new Promise((resolve) => socket.write(bytes, resolve));
    let text = '';
    const found = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    for await (const chunk of socket) {
      text += String(chunk);
      if (found().length === count) break;
    }
    return found();
  } finally {
    socket.destroy();
  }
}

const head = (path: string, headers: Readonly<Record<string, string | number>>): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: x',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');

/** Incompressible, so that the body is still in transit when it is refused. */
const noise = (bytes: number): Buffer => randomBytes(bytes);

describe('the connection of a refused body', () => {
  const next = head(BULK, { 'content-length': 0 });
  it.each([
    ['a gzip bomb', gzipSync(Buffer.concat([Buffer.alloc(api.bulkSetTags.maxBodyBytes + 1), noise(500_000)])), 413],
    ['a body that is not gzip', noise(500_000), 400],
    ['bytes after the end of gzip', Buffer.concat([gzipSync('{}'), noise(500_000)]), 400],
    ['truncated gzip', gzipSync(noise(500_000)).subarray(0, 400_000), 400],
  ])('stays open after %s', async (_what, packed, status) => {
    const first = head(BULK, { 'content-length': packed.length, 'content-encoding': 'gzip' });
    const [refused, after] = await statuses(2, first, packed, next);
    expect(after).toBe(400);
    expect(refused).toBe(status);
  });

  it('stays open after a body of several times the limit, packed or not (R-LM1)', async () => {
    const large = Buffer.alloc(4 * BODY_LIMIT_BYTES, ' ');
    const first = head('/json/1.3/registerDevice', { 'content-length': large.length });
    expect(await statuses(2, first, large, next)).toEqual([413, 400]);
    const headers = { 'transfer-encoding': 'chunked', authorization: 'Token device' };
    const chunked = head('/json/1.3/registerDevice', headers);
    const chunk = `${large.length.toString(16)}\r\n`;
    expect(await statuses(2, chunked, chunk, large, '\r\n0\r\n\r\n', next)).toEqual([413, 400]);
    const stranger = head('/json/1.3/registerDevice', { 'transfer-encoding': 'chunked' });
    expect(await statuses(2, stranger, chunk, large, '\r\n0\r\n\r\n', next)).toEqual([403, 400]);
  });
});

it.each([
  ['bytes that are no request', 'no request\r\n\r\n', 400],
  ['an invalid address', 'HEAD http://localhost<x>/ HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ['headers without end', `${head('/', { x: 'x'.repeat(20_000) })}`, 431],
])('a connection is answered and closed after %s', async (_what, sent, status) => {
  const socket = connect({ port: Number(client.url.port), host: client.url.hostname });
  socket.write(sent);
  let reply = '';
  for await (const chunk of socket) reply += String(chunk);
  expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\w ]+\r\nconnection: close\r\n`));
});

it('stalled uploads do not block other requests', async () => {
  const stuck = Array.from({ length: 10 }, () => {
    const socket = connect({ port: Number(client.url.port), host: client.url.hostname });
    socket.write(`${head(BULK, { 'transfer-encoding': 'chunked' })}1\r\n{\r\n`);
    return socket;
  });
  await Promise.all(stuck.map((socket) => once(socket, 'connect')));
  const large = Buffer.alloc(3_000_000, ' ');
  large.write('{}');
  expect(await statuses(1, head(BULK, { 'content-length': large.length }), large)).toEqual([400]);
  for (const socket of stuck) socket.destroy();
});

describe('the number of values in a body', () => {
  const limits = bodyLimitsOf(api.createMessage);
  const tooLarge = { kind: 'tooLarge' };

  it('is limited to 25,000, to 400,000 in messages, and to six million in bulk requests', async () => {
    const lists = (count: number) => Buffer.from(`{"request":{"a":[${'[],'.repeat(count)}[]]}}`);
    const bulk = (count: number) => Buffer.from(`{"a":[${'[],'.repeat(count)}[]]}`);
    await expect(objectIn(lists(12_600), bodyFormOf(api.setTags))).rejects.toMatchObject(tooLarge);
    await expect(objectIn(lists(12_400), bodyFormOf(api.setTags))).resolves.toMatchObject({
      request: { a: { length: 12_401 } },
    });
    await expect(objectIn(lists(201_000), bodyFormOf(api.createMessage))).rejects.toMatchObject(tooLarge);
    await expect(objectIn(lists(199_000), bodyFormOf(api.createMessage))).resolves.toHaveProperty('request');
    await expect(objectIn(bulk(201_000), bodyFormOf(api.bulkSetTags))).resolves.toMatchObject({
      a: { length: 201_001 },
    });
  });

  it('is limited to 20,000 in a message, and to 100,000 in an entry of a bulk request', async () => {
    const values = (count: number) => `[${'0,'.repeat(count)}0]`;
    const notification = (count: number) => Buffer.from(`{"request":{"notifications":[{},{"data":${values(count)}}]}}`);
    await expect(objectIn(notification(19_990), bodyFormOf(api.createMessage))).resolves.toHaveProperty('request');
    await expect(objectIn(notification(20_000), bodyFormOf(api.createMessage))).rejects.toMatchObject(tooLarge);
    const entry = Buffer.from(`{"devices":[{"tags":{"a":${values(100_000)}}}]}`);
    await expect(objectIn(entry, bodyFormOf(api.bulkSetTags))).rejects.toMatchObject(tooLarge);
  });

  it('is limited to 100,000 different names among 200,000 members, among four million in bulk requests', async () => {
    const members = (count: number, names: number) => {
      const one = (_: unknown, i: number) => `{"k${i % names}":0}`;
      return Buffer.from(`{"a":[${Array.from({ length: count }, one).join(',')}]}`);
    };
    const names = limits.names * 1.1;
    await expect(objectIn(members(names, names), bodyFormOf(api.bulkSetTags))).rejects.toMatchObject(tooLarge);
    const many = members(limits.members + 1, 10);
    await expect(objectIn(many, bodyFormOf(api.createMessage))).rejects.toMatchObject(tooLarge);
    await expect(objectIn(many, bodyFormOf(api.bulkSetTags))).resolves.toMatchObject({
      a: { length: limits.members + 1 },
    });
  });

  it('does not include brackets and commas in a text', async () => {
    const text = '\\"[{:,'.repeat(1_200_000);
    const bytes = Buffer.from(JSON.stringify({ text }));
    expect(await objectIn(bytes, bodyFormOf(api.bulkSetTags))).toEqual({ text });
  });
});

it('the token in a large body is refused before the body is parsed', async () => {
  const notJson = `{"request":{"auth":"wrong","x":[${'1 1,'.repeat(30_000)}`;
  const headers = { 'content-length': notJson.length };
  expect(await statuses(1, head(api.createMessage.path, headers), notJson)).toEqual([403]);
  const bulk = `{"devices":[${'1 1,'.repeat(30_000)}],"auth":"wrong"`;
  expect(await statuses(1, head(BULK, { 'content-length': bulk.length }), bulk)).toEqual([403]);
});

it('a body that arrives byte by byte takes no more memory than its bytes', async () => {
  const request = Object.assign(new PassThrough(), { headers: {} }) as unknown as PassThrough & IncomingMessage;
  const slab = Buffer.alloc(1024, 'x');
  const reading = readBody(request);
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const bytes = 200_000;
  for (let i = 0; i < bytes; i++) {
    const at = i % slab.length;
    request.emit('data', slab.subarray(at, at + 1));
  }
  collectGarbage();
  // A separate chunk takes more than a hundred bytes.
  expect((process.memoryUsage().heapUsed - before) / bytes).toBeLessThan(50);
  request.end();
  expect(await reading).toHaveLength(bytes);
});
