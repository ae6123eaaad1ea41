import { mkdtemp, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { openMongo } from './open-mongo.ts';

const TOO_LARGE = 17 << 20;
const BOUND = 16 << 20;

describe('openMongo', () => {
  it('bounds the log of the server that it runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-mongo-'));
    const mongo = await openMongo(undefined, folder, pino({ level: 'silent' }));
    try {
      const log = join(folder, 'mongod.log');
      await truncate(log, TOO_LARGE);
      while ((await stat(log)).size > BOUND) await delay(50);
      expect((await stat(`${log}.1`)).size).toBe(BOUND);
    } finally {
      await mongo.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
