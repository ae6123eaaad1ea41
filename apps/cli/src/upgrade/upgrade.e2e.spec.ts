import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '@tidings/client';
import { readEnv } from '@tidings/runtime';
// eslint-disable-next-line @nx/enforce-module-boundaries -- a program of its own, which a suite gives a key
import { generateServiceAccount, type ProviderName, publicKeyOf } from '@tidings/simulators';
import { platform, type PlatformWorld, pushesOf, untilDone } from '@tidings/testing';
import { importData } from '../data/import-data.ts';
import { answersOf } from './testing/answers.ts';
import { type FixtureAnswers, fixtureAnswers, MASTER_KEY, unpackFixture } from './testing/fixture.ts';
import { makeFixture } from './testing/make-fixture.ts';
import { ANDROID } from './testing/shop-devices.ts';

const HOUR = 3600;
const quiet = { set: () => undefined, stop: () => undefined };

/** `tools/upgrade-fixture.mjs` sets it. */
if (process.env['TIDINGS_UPGRADE_FIXTURE'] === 'make') beforeAll(makeFixture);

describe('the data of the last version', () => {
  let world: PlatformWorld;
  let then: FixtureAnswers;

  beforeAll(async () => {
    then = await fixtureAnswers();
    const archive = await mkdtemp(join(tmpdir(), 'tidings-archive-'));
    try {
      await unpackFixture(archive);
      world = await platform({
        env: { TIDINGS_MASTER_KEY: MASTER_KEY },
        simulators: { keepPayloads: true },
        fill: async (stores) =>
          void (await importData(
            readEnv({ ...stores, TIDINGS_MASTER_KEY: MASTER_KEY, LOG_LEVEL: 'error' }),
            archive,
            quiet,
          )),
      });
    } finally {
      await rm(archive, { recursive: true, force: true });
    }
    await world.advance((Date.parse(then.answeredAt) - Date.now()) / 1000);
    await world.settle();
  });
  afterAll(() => world?.stop());

  it('has the same answers, for the tokens of that version', async () => {
    const client = new ApiClient(world.url, { ...then.secrets, admin: world.secrets.admin }, 4);
    try {
      const now = await answersOf(client, world.url, then.replies, Object.keys(then.exports));
      expect(now.replies.length).toBeGreaterThan(100);
      // A later version may tell more.
      expect(now).toMatchObject({ replies: then.replies, exports: then.exports });
    } finally {
      client.close();
    }
  });

  it('goes on: what had to wait reaches each device once, and nothing is sent again', async () => {
    const { simulators } = world;
    const applications = new Set(then.waiting.map(({ application }) => application));
    for (const application of applications) {
      const account = generateServiceAccount(simulators.tokenUrl);
      simulators.keys.register({ google: [publicKeyOf(account)] });
      const settings = { device_type: ANDROID, android_framework: 'native', android_fcm_service_account: account };
      await world.call('configureApplication', { application, ...settings });
    }
    for (const { application, code, stepSeconds } of then.waiting)
      await untilDone(world, application, code, { stepSeconds, patienceSeconds: 24 * HOUR });
    let expected = 0;
    for (const { code, devices } of then.waiting) {
      for (const [provider, tokens] of Object.entries(devices)) {
        const accepted = pushesOf(simulators, provider as ProviderName, code).filter(
          ({ reason }) => reason === 'accepted',
        );
        expect(accepted.map(({ token }) => token).toSorted()).toEqual([...tokens].toSorted());
        expected += tokens.length;
      }
    }
    const all = ['apns', 'fcm', 'hms', 'adm', 'webpush', 'email', 'smpp', 'whatsapp', 'line'] as const;
    const sent = all.flatMap((provider) => simulators.ledger.of(provider).entries({ limit: Infinity }));
    expect(sent.filter(({ reason }) => reason === 'accepted')).toHaveLength(expected);
  });
});
