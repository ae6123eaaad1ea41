import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as passed } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { ADMINISTRATOR, APPLICATION, World } from '../testing/gateway-world.ts';

const api = { authorization: 'Api api' };
const device = { authorization: 'Token device' };
const never = (): Promise<never> => new Promise(() => undefined);

let world: World;
let client: Client;
beforeEach(async () => {
  world = new World();
  client = await openClient(world);
});
afterEach(() => client.close());

describe('a request that fails because a service is unavailable', () => {
  const away = (): Promise<never> => Promise.reject(Fault.unavailable('A service does not answer'));

  it.each([
    ['POST', '/json/1.3/getTags', 500, device],
    ['POST', '/api/v2/messages:list', 503, api],
    ['POST', '/api/v2/audience/bulkSetTags', 500, api],
    ['GET', '/admin/v1/tokens', 503, { authorization: `Bearer ${ADMINISTRATOR}` }],
    ['GET', '/s/abcdefgh', 503, {}],
  ])('gets a Retry-After: %s %s', async (verb, path, status, headers) => {
    Object.assign(world.services.tokens, { resolveToken: away, listTokens: away });
    world.messages.followLink = away;
    const answer = await client.send(verb, path, verb === 'GET' ? undefined : '{}', headers);
    expect(answer).toMatchObject({ status, headers: { 'retry-after': '5' } });
  });
});

describe('the deadline of a request', () => {
  beforeEach(() => {
    const doNotFake = ['setImmediate', 'nextTick', 'queueMicrotask', 'Date', 'setInterval'] as const;
    jest.useFakeTimers({ doNotFake: [...doNotFake] });
  });
  afterEach(() => void jest.useRealTimers());

  const stuck = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { reached: promise, work: () => (resolve(), never()) };
  };

  it('is ten seconds while a service does not answer', async () => {
    const { reached, work } = stuck();
    Object.assign(world.devices, { getTags: work });
    const answer = client.json13('getTags', { application: APPLICATION, hwid: 'phone-1' }, device);
    await reached;
    jest.advanceTimersByTime(10_250);
    expect(await answer).toMatchObject({
      status: 500,
      body: { status_code: 500, status_message: 'Internal error', response: null },
      headers: { 'retry-after': '5' },
    });
  });

  it('leaves the acceptance of a message unknown if it passes during the call of the scheduler (R-ER10)', async () => {
    const { reached, work } = stuck();
    world.messages.accept = work;
    const notifications = [{ content: 'a' }];
    const answer = client.json13('createMessage', { auth: 'api', application: APPLICATION, notifications });
    await reached;
    jest.advanceTimersByTime(10_250);
    expect(await answer).toMatchObject({
      status: 500,
      body: { status_message: expect.stringMatching(/^Internal error: .*transactionId/) as string, response: null },
    });
  });

  it('applies to a slow body, though a byte arrives now and then', async () => {
    const socket = await opened();
    socket.write(
      `POST /json/1.3/setTags HTTP/1.1\r\nhost: x\r\nauthorization: Token device\r\ncontent-length: 100\r\n\r\n`,
    );
    const reply = once(socket, 'data');
    const closed = once(socket, 'close');
    await arrived(1);
    for (let second = 0; second < 11; second++) {
      if (socket.writable) socket.write('{');
      for (let i = 0; i < 5; i++) await passed();
      jest.advanceTimersByTime(1_000);
    }
    expect(String((await reply)[0])).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n(.+\r\n)*connection: close\r\n/);
    await closed;
    const { values } = await world.metrics.getSingleMetric('tidings_http_request_seconds')!.get();
    expect(values.some(({ labels }) => labels['result'] === 'slow')).toBe(true);
  });

  const arrived = async (requests: number): Promise<void> => {
    while (jest.getTimerCount() < requests) await passed();
  };
});

const opened = async (): Promise<Socket> => {
  const socket = connect({ port: Number(client.url.port), host: client.url.hostname });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

describe('connections', () => {
  it('have fixed timeouts that a slow sender cannot extend', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxConnections } = client.server;
    expect({ headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxConnections }).toEqual({
      headersTimeout: 20_000,
      requestTimeout: 120_000,
      keepAliveTimeout: 72_000,
      timeout: 120_000,
      maxConnections: 10_000,
    });
  });

  it('are closed, and counted, when a client pipelines requests without waiting for replies', async () => {
    const requests = (count: number): string => 'GET /s/abcdefgh HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count);
    const [few, many] = [await opened(), await opened()];
    few.write(requests(100));
    let text = '';
    few.setEncoding('latin1').on('data', (part: string) => (text += part));
    while (text.split('HTTP/1.1 ').length <= 100) await once(few, 'data');
    const closed = new Promise((resolve) => void many.resume().once('close', resolve));
    many.write(requests(5_000));
    await closed;
    const { values } = await world.metrics.getSingleMetric('tidings_flooded_connections_total')!.get();
    expect(values).toMatchObject([{ labels: { protocol: 'http' }, value: 1 }]);
    few.destroy();
  });

  it('are limited: further ones are closed as they arrive, and counted', async () => {
    await client.close();
    world = new World();
    client = await openClient(world, { maxConnections: 2, trustedProxies: ['127.0.0.0/8'] });
    const isServed = async (socket: Socket): Promise<boolean> => {
      socket.write('GET /s/abcdefgh HTTP/1.1\r\nhost: x\r\n\r\n');
      return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
    };
    const [first, second] = [await opened(), await opened()];
    expect([await isServed(first), await isServed(second)]).toEqual([true, true]);
    expect(await isServed(await opened())).toBe(false);
    const { values } = await world.metrics.getSingleMetric('tidings_http_dropped_connections_total')!.get();
    expect(values).toMatchObject([{ value: 1 }]);
    first.destroy();
    let next = await opened();
    while (!(await isServed(next))) next = await opened();
    for (const socket of [second, next]) socket.destroy();
  });

  it('are limited to half of all for one client: further ones are closed as they arrive, and counted', async () => {
    await client.close();
    world = new World();
    client = await openClient(world, { maxConnections: 4 });
    const first = [await opened(), await opened()];
    const third = await opened();
    await once(third, 'close');
    const { values } = await world.metrics.getSingleMetric('tidings_http_dropped_connections_total')!.get();
    expect(values).toMatchObject([{ value: 1 }]);
    for (const socket of first) socket.destroy();
  });
});
