import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { retryUntilAnswered, type LoggingWorld } from '@tidings/testing';
import type { ProcessesUnderTest } from './testing/processes.ts';

const CALLERS = 200;
/** Two sequential groups take twenty seconds. */
const ANSWERED_MS = 17_000;

export function awayFeatures(test: ProcessesUnderTest): void {
  describe('a system without the owner of devices', () => {
    let world: LoggingWorld;
    let application: string;
    const agent = new Agent({ keepAlive: true });
    beforeAll(async () => {
      ({ world } = test);
      application = await world.application({ title: 'Away', ios: false });
      await retryUntilAnswered(() =>
        world.registerDevices(application, CALLERS + 1, (i) => ({ hwid: `phone-${i}`, device_type: 3 })),
      );
    });
    afterAll(() => agent.destroy());

    const setTags = async (hwid: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<{
        status: number;
        retryAfter: unknown;
        body: string;
      }>();
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

    it('answers every caller by its deadline with the time of a retry, limits its log, and serves all afterwards', async () => {
      const notServed = async (): Promise<string[]> =>
        (await world.logged()).split('\n').filter((line) => line.includes('request not served'));
      const before = (await notServed()).length;
      await test.signalRegistry('SIGSTOP');
      const all = Promise.all(Array.from({ length: CALLERS }, (_, i) => setTags(`phone-${i}`)));
      await Promise.allSettled([all]);
      await test.signalRegistry('SIGCONT');
      const answers = await all;
      const seconds = Math.max(...answers.map(({ ms }) => ms)) / 1_000;
      for (const { status, retryAfter, body } of answers) {
        expect({ status, retryAfter, body: JSON.parse(body) as unknown }).toEqual({
          status: 500,
          retryAfter: '5',
          body: { status_code: 500, status_message: 'Internal error', response: null },
        });
      }
      expect(seconds * 1_000).toBeLessThan(ANSWERED_MS);
      const failures = await notServed();
      expect(failures.length).toBeGreaterThan(before);
      // Each gateway logs a line at once, one a second, and one at the end.
      expect(failures.length - before).toBeLessThan(3 * (seconds + 3));
      expect(failures.join('\n')).not.toContain('stack');
      const device = { application, hwid: `phone-${CALLERS}` };
      await retryUntilAnswered(() => world.call('setTags', { ...device, tags: { Language: 'de' } }));
      expect((await world.call('getTags', device)).result).toMatchObject({ Language: 'de' });
      await world.settle(60_000);
    }, 240_000);
  });
}
