import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMongod } from '@tidings/local-servers';
import { drawn, platformProcess, type ProcessWorld, storedText, untilDone } from '@tidings/testing';

const DEVICES = 1000;
const MESSAGES = 20;
const KILLS = 3;
/** Swept every 5 s by one process, whose lease outlives it by 10 s. */
const [SWEEP_MS, TIMEOUT_MS] = [5_000, 60_000];

const { seed, draw } = drawn('moments of kills');

describe('a deletion amid kills of the platform', () => {
  let world: ProcessWorld;
  beforeAll(async () => void (world = await platformProcess()));
  afterAll(() => world?.stop());

  /** Without the log, which keeps its topics for as long as Kafka does. */
  const stored = async (...texts: readonly string[]): Promise<string[]> => {
    await world.end();
    const mongod = await startMongod(join(world.dataFolder, 'mongo'));
    try {
      const found = await Promise.all(
        texts.map((text) => storedText(mongod.url, text, (database) => /^tidings_(?!log$|system$)/.test(database))),
      );
      return found.flat();
    } finally {
      await mongod.stop();
      await world.start();
    }
  };
  const left = async (...texts: readonly string[]): Promise<string[]> => {
    for (const until = Date.now() + TIMEOUT_MS; ; await delay(SWEEP_MS)) {
      const found = await stored(...texts);
      if (found.length === 0 || Date.now() > until) return found;
    }
  };
  const fill = async (application: string, name: string): Promise<void> => {
    await world.registerDevices(application, DEVICES, (i) => ({
      hwid: `${name}-${i}`,
      device_type: 3,
      push_token: `accepted-${name}-${i}`,
      tags: { City: `${name} city` },
    }));
    const codes: string[] = [];
    for (let i = 0; i < MESSAGES; i++) {
      const notification = { content: `${name} content ${i}`, link: `https://example.com/${name}`, minimize_link: 1 };
      codes.push(...(await world.call('createMessage', { application, notifications: [notification] })).Messages);
    }
    await untilDone(world, application, codes.at(-1)!);
    await world.settle();
  };

  it('is completed, and deletes nothing of others', async () => {
    const deleted = await world.application({ title: 'Deleted', ios: false });
    const other = await world.application({ title: 'Other', ios: false });
    await fill(deleted, 'gone');
    await fill(other, 'kept');
    expect(await stored('gone city', 'gone content')).not.toEqual([]);

    await world.call('deleteApplication', { application: deleted });
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(draw() * 500);
      await world.kill(kill % 2 === 0 ? 'platform' : 'everything');
      await world.start();
    }
    await world.settle();
    // The second sweep, for data that arrived before every process knew of the deletion.
    await world.advance(30);
    await world.settle();
    const found = await left('gone city', 'gone content', 'accepted-gone', 'example.com/gone');
    expect({ seed, found: found.slice(0, 10) }).toEqual({ seed, found: [] });
    expect(await world.reply('checkDevice', { application: deleted, hwid: 'gone-1' })).toMatchObject({
      body: { status_code: 210 },
    });
    const { total } = await world.call('messagesList', { filters: { application: other } });
    expect(total).toBe(MESSAGES);
    for (const hwid of ['kept-0', `kept-${DEVICES - 1}`]) {
      expect((await world.call('getTags', { application: other, hwid })).result).toMatchObject({ City: 'kept city' });
    }
  });
});
