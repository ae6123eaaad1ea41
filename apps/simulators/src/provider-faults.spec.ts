import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { apnsToken } from './apns/apns-tokens.ts';
import { fcmToken } from './fcm/fcm-tokens.ts';
import { type Simulators, startSimulators } from './simulators.ts';
import { apnsHeaders, apnsPayload, type Client, client, reasonIn, type Seen } from './testing/test-client.ts';

describe('faults', () => {
  let simulators: Simulators;
  let apns: Client;

  beforeAll(async () => {
    simulators = await startSimulators({ control: false });
  });
  beforeEach(() => {
    simulators.reset();
    apns = client(simulators.apnsUrl);
  });
  afterEach(async () => {
    apns.close();
    await simulators.faults.clear();
  });
  afterAll(() => simulators.close());

  const push = (n = 0): Promise<Seen> => apns.send(apnsHeaders(apnsToken('accepted', n)), apnsPayload());
  const pushes = (count: number): Promise<Seen[]> => Promise.all(Array.from({ length: count }, (_, n) => push(n)));
  const apnsFault = (change: Parameters<typeof simulators.faults.set>[1], forMs?: number): Promise<void> =>
    simulators.faults.set('apns', change, forMs);
  const soon = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(() => resolve('nothing'), ms));
  const canConnect = async (): Promise<boolean> => {
    const socket = connect(Number(new URL(simulators.apnsUrl).port), '127.0.0.1');
    return once(socket, 'connect').then(
      () => !!socket.destroy(),
      () => false,
    );
  };

  it('reset connections and refuse new ones if down, and end on the same port', async () => {
    expect((await push()).status).toBe(200);
    const closed = new Promise((resolve) => apns.session.once('close', resolve));
    await apnsFault({ down: true });
    await closed;
    expect(await canConnect()).toBe(false);
    await apnsFault({ down: false });
    apns = client(simulators.apnsUrl);
    expect((await push()).status).toBe(200);
  });

  it('leave no entry in the ledger when a client disconnects during a request', async () => {
    const stream = apns.session.request({ ':method': 'POST', ...apnsHeaders(apnsToken('accepted', 1)) });
    stream.on('error', () => undefined);
    await new Promise((resolve) => stream.write(apnsPayload().slice(0, 20), resolve));
    // The reply proves that the partial request, sent earlier, has been read.
    await push();
    const gone = new Promise((resolve) => apns.session.once('close', resolve));
    apns.session.destroy();
    await gone;
    apns = client(simulators.apnsUrl);
    await push(2);
    const entries = simulators.ledger.of('apns').entries();
    expect(entries.map(({ token, reason }) => [token, reason])).toEqual([
      [apnsToken('accepted', 0), 'accepted'],
      [apnsToken('accepted', 2), 'accepted'],
    ]);
  });

  it('end by themselves after a given time if down', async () => {
    await apnsFault({ down: true }, 50);
    expect(simulators.faults.of('apns').down).toBe(true);
    while (simulators.faults.of('apns').down) await soon(10);
    while (!(await canConnect())) await soon(10);
  });

  it('withhold even the answer to PING on old and new connections if blackhole, and deliver everything when they end', async () => {
    expect((await push()).status).toBe(200);
    await apnsFault({ blackhole: true });
    const ponged = new Promise((resolve) => apns.session.ping(() => resolve('pong')));
    const other = client(simulators.apnsUrl);
    const waiting = [push(), other.send(apnsHeaders(apnsToken('accepted', 1)), apnsPayload())];
    expect(await Promise.race([...waiting, ponged, soon(100)])).toBe('nothing');
    expect(simulators.ledger.summary().apns.accepted).toBe(1);
    await apnsFault({ blackhole: false });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await ponged).toBe('pong');
    other.close();
  });

  it('withhold the answers to requests that were read before if blackhole', async () => {
    await push();
    const slow = apns.send(apnsHeaders(apnsToken('slow', 1, 3)), apnsPayload());
    await soon(50);
    await apnsFault({ blackhole: true });
    expect(await Promise.race([slow, soon(350)])).toBe('nothing');
    await apnsFault({ blackhole: false });
    expect((await slow).status).toBe(200);
  });

  it('delay every answer by the latency', async () => {
    await apnsFault({ latencyMs: 100 });
    const before = performance.now();
    expect((await pushes(5)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(performance.now() - before).toBeGreaterThan(90);
  });

  it('answer requests up to the last stream by goawayEvery, and leave the rest safe to repeat', async () => {
    await apnsFault({ goawayEvery: 3 });
    const seen = await pushes(5);
    const answered = seen.filter(({ status }) => status === 200).length;
    const refused = seen.filter(({ status, reset }) => status === 0 && reset === 7).length;
    expect([answered, refused]).toEqual([3, 2]);
    expect(apns.goaways[0]).toBe(5);
    expect(simulators.ledger.summary().apns.accepted).toBe(3);
  });

  it('reset every n-th stream unread by resetEvery', async () => {
    await apnsFault({ resetEvery: 2 });
    expect((await pushes(4)).map(({ status, reset }) => [status, reset])).toEqual([
      [200, 0],
      [0, 2],
      [200, 0],
      [0, 2],
    ]);
    expect(simulators.ledger.summary().apns.byReason).toEqual({ accepted: 2, resetUnread: 2 });
  });

  it('refuse every request by answer, with the configured Retry-After', async () => {
    await apnsFault({ answer: 'TooManyProviderTokenUpdates', retryAfterSeconds: 30 });
    const seen = await push();
    expect([seen.status, reasonIn(seen), seen.headers['retry-after']]).toEqual([
      429,
      'TooManyProviderTokenUpdates',
      '30',
    ]);
    await apnsFault({ answer: null });
    expect((await push()).status).toBe(200);
  });

  it('affect the named provider, or all', async () => {
    const { faults } = simulators;
    await faults.set('fcm', { answer: 'UNAVAILABLE' });
    expect((await push()).status).toBe(200);
    const fcm = client(simulators.fcmUrl);
    const body = JSON.stringify({ message: { token: fcmToken('accepted', 1) } });
    expect((await fcm.send({ ':path': '/v1/projects/p/messages:send' }, body)).status).toBe(503);
    fcm.close();
    await faults.set('all', { latencyMs: 1 });
    expect([faults.of('apns').latencyMs, faults.of('google-oauth').latencyMs]).toEqual([1, 1]);
    await faults.clear();
    expect(faults.of('fcm')).toMatchObject({ answer: null, latencyMs: 0 });
  });
});
