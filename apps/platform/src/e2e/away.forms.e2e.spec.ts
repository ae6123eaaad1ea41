import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answered, cluster, formUnderTest, platformProcess, type World } from '@tidings/testing';

/** What devices and backends see while the owner of devices does not answer, and afterwards. */
interface Freezable extends World {
  logged(): Promise<string>;
  /** Stops what owns devices without a word: the registry, or in one process its store. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  stop(): Promise<void>;
}

const env = { LOG_LEVEL: 'warn' };

async function distributed(): Promise<Freezable> {
  const world = await cluster({ env });
  const registries = world.cluster.of('registry');
  return {
    ...world,
    freeze: async () => registries.forEach((registry) => registry.freeze()),
    thaw: async () => registries.forEach((registry) => registry.thaw()),
  };
}

async function embedded(): Promise<Freezable> {
  const world = await platformProcess({ env });
  const signal = async (name: NodeJS.Signals): Promise<void> => void process.kill((await world.pids()).mongod!, name);
  return { ...world, freeze: () => signal('SIGSTOP'), thaw: () => signal('SIGCONT') };
}

const CALLERS = 200;
/** Ten seconds, and what a busy machine needs to send and to read the answers of so many. Two groups one after the other take twenty. */
const ANSWERED_MS = 17_000;

describe('while what owns devices does not answer', () => {
  let world: Freezable;
  let application: string;
  const agent = new Agent({ keepAlive: true });
  beforeAll(async () => {
    world = await (formUnderTest === 'distributed' ? distributed() : embedded());
    application = await world.application({ title: 'Away', ios: false });
    await answered(() =>
      world.registerDevices(application, CALLERS + 1, (i) => ({ hwid: `phone-${i}`, device_type: 3 })),
    );
  }, 300_000);
  afterAll(async () => {
    agent.destroy();
    await world?.thaw();
    await world?.stop();
  });

  const setTags = async (hwid: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; retryAfter: unknown; body: string }>();
    const body = JSON.stringify({ request: { application, hwid, tags: { Language: 'en' } } });
    const headers = { authorization: `Token ${world.secrets.device}`, 'content-length': Buffer.byteLength(body) };
    const sent = request(new URL('/json/1.3/setTags', world.url), { method: 'POST', agent, headers }, (response) => {
      const { statusCode: status = 0, headers: got } = response;
      void text(response).then((all) => resolve({ status, retryAfter: got['retry-after'], body: all }), reject);
    });
    sent.on('error', reject);
    const sentAt = performance.now();
    sent.end(body);
    return { ...(await promise), ms: performance.now() - sentAt };
  };

  it('every caller is answered by its deadline and told when to come again, the log stays small, and all is served afterwards', async () => {
    const notServed = async (): Promise<string[]> =>
      (await world.logged()).split('\n').filter((line) => line.includes('request not served'));
    const before = (await notServed()).length;
    await world.freeze();
    const answers = await Promise.all(Array.from({ length: CALLERS }, (_, i) => setTags(`phone-${i}`)));
    const seconds = Math.max(...answers.map(({ ms }) => ms)) / 1_000;
    await world.thaw();
    for (const { status, retryAfter, body } of answers) {
      expect({ status, retryAfter, body: JSON.parse(body) as unknown }).toEqual({
        status: 500,
        retryAfter: '5',
        body: { status_code: 500, status_message: 'Internal error', response: null },
      });
    }
    expect(seconds * 1_000).toBeLessThan(ANSWERED_MS);
    const told = await notServed();
    expect(told.length).toBeGreaterThan(before);
    // One at once, one a second, and one at the end, of each gateway.
    expect(told.length - before).toBeLessThan(3 * (seconds + 3));
    expect(told.join('\n')).not.toContain('stack');
    // Of a device that nobody was left unanswered about: what was may still be carried out, later than this.
    const device = { application, hwid: `phone-${CALLERS}` };
    await answered(() => world.call('setTags', { ...device, tags: { Language: 'de' } }));
    expect((await world.call('getTags', device)).result).toMatchObject({ Language: 'de' });
    await world.settle(60_000);
  }, 240_000);
});
