import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, type ReplyOf } from '@tidings/client';
import { readEnv } from '@tidings/runtime';
import { generateServiceAccount, type ProviderName, publicKeyOf } from '@tidings/simulators';
import {
  type DeploymentMode,
  modeUnderTest,
  platform,
  type PlatformWorld,
  pushesOf,
  untilDone,
} from '@tidings/testing';
import { importData } from '../data/import-data.ts';
import { type Answers, answersOf } from './testing/answers.ts';
import { FIXTURE, type FixtureAnswers, fixtureAnswers, MASTER_KEY, unpackFixture } from './testing/fixture.ts';
import { makeFixture } from './testing/make-fixture.ts';
import { ANDROID } from './testing/shop-devices.ts';

const HOUR = 3600;
/** Longer than a start takes. */
const STARTS_BEFORE_SECONDS = 300;
const sentIn = ({ channels }: ReplyOf<'getDeliveryFunnel'>): number =>
  channels
    .flatMap(({ funnel }) => funnel.filter(({ stage }) => stage === 'STAGE_SENT'))
    .reduce((sum, { count }) => sum + Number(count), 0);

const quiet = { set: () => undefined, stop: () => undefined };

/** `tools/upgrade-fixture.mjs` sets it. */
if (process.env['TIDINGS_UPGRADE_FIXTURE'] === 'make') beforeAll(() => makeFixture(FIXTURE));

async function opened(fixture: string, mode: DeploymentMode): Promise<PlatformWorld> {
  const { answeredAt } = await fixtureAnswers(fixture);
  const archive = await mkdtemp(join(tmpdir(), 'tidings-archive-'));
  const variables = { TIDINGS_MASTER_KEY: MASTER_KEY.toString('base64'), LOG_LEVEL: 'error' };
  try {
    await unpackFixture(fixture, archive);
    // The data's times are ahead; a time that is further ahead than possible is due.
    const aheadSeconds = Math.floor((Date.parse(answeredAt) - Date.now()) / 1000) - STARTS_BEFORE_SECONDS;
    const world = await platform(
      {
        env: { TIDINGS_TEST_CLOCK: String(aheadSeconds) },
        masterKey: MASTER_KEY,
        simulators: { keepPayloads: true },
        processes: { hasEveryChannel: true },
        fill: async (stores) => void (await importData(readEnv({ ...stores, ...variables }), archive, quiet)),
      },
      mode,
    );
    world.simulators.clock.advance(aheadSeconds * 1000);
    await world.advance((Date.parse(answeredAt) - Date.now()) / 1000 - aheadSeconds);
    await world.settle();
    return world;
  } finally {
    await rm(archive, { recursive: true, force: true });
  }
}

/** Version 0.1.0 left the sender empty where it was that of the application. */
const withoutSenders = (replies: Answers['replies']): Answers['replies'] =>
  JSON.parse(JSON.stringify(replies), (name, value: unknown) =>
    value === '' && /^(?:from_email|from_name|reply_email)$/.test(name) ? undefined : value,
  ) as Answers['replies'];

async function expectSameAnswers(world: PlatformWorld, then: FixtureAnswers): Promise<void> {
  const client = new ApiClient(world.urls, { ...then.secrets, admin: world.secrets.admin }, 4);
  try {
    const now = await answersOf(client, world.url, then.replies, Object.keys(then.exports));
    expect(now.replies.length).toBeGreaterThan(100);
    // A later version may answer with more fields.
    expect(now).toMatchObject({ replies: withoutSenders(then.replies), exports: then.exports });
  } finally {
    client.close();
  }
}

describe('the data of the last version', () => {
  let world: PlatformWorld;
  let then: FixtureAnswers;

  beforeAll(async () => {
    then = await fixtureAnswers(FIXTURE);
    world = await opened(FIXTURE, modeUnderTest);
  });
  afterAll(() => world?.stop());

  it('have the same answers, for the tokens of that version', () => expectSameAnswers(world, then));

  it('continue: each waiting device is reached once, and nothing is sent again', async () => {
    const { simulators } = world;
    const applications = new Set(then.waiting.map(({ application }) => application));
    for (const application of applications) {
      const account = generateServiceAccount(simulators.tokenUrl);
      simulators.keys.register({ google: [publicKeyOf(account)] });
      const settings = { device_type: ANDROID, android_framework: 'native', android_fcm_service_account: account };
      await world.call('configureApplication', { application, ...settings });
    }
    for (const { application, code, stepSeconds } of then.waiting)
      await untilDone(world, application, code, { stepSeconds, timeoutSeconds: 24 * HOUR });
    let expected = 0;
    for (const { code, devices, sent } of then.waiting) {
      const funnel = await world.call('getDeliveryFunnel', { message_code: code });
      expect({ code, sent: sentIn(funnel) }).toEqual({ code, sent });
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

// The script makes it in the embedded mode.
if (modeUnderTest === 'embedded') {
  describe('the fixture of this version', () => {
    it('is created by the script, and its data have the same answers', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tidings-fixture-'));
      let world: PlatformWorld | undefined;
      try {
        await makeFixture(folder);
        world = await opened(folder, 'embedded');
        await expectSameAnswers(world, await fixtureAnswers(folder));
      } finally {
        await world?.stop();
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
}
