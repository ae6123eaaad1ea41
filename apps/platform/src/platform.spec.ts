import { describe, expect, it } from '@jest/globals';
import { openLog, readEnv } from '@tidings/runtime';
import { openPlatform } from './platform.ts';

describe('the embedded mode', () => {
  it.each([
    ['KAFKA_BROKERS', 'kafka:9092'],
    ['TIDINGS_SERVICES', 'registry,fanout'],
  ])('refuses %s, which is of the distributed mode', async (variable, value) => {
    await expect(openPlatform(readEnv({ [variable]: value }), { log: openLog('silent') })).rejects.toMatchObject({
      kind: 'argument',
      message: expect.stringMatching(new RegExp(`^${variable}: .*; leave it unset$`)),
    });
  });
});
