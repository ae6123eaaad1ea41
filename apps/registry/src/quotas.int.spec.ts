import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Preset } from '@tidings/events';
import { defaultQuotas, Fault } from '@tidings/kernel';
import { openLog, keysFrom } from '@tidings/runtime';
import { describeWithMongo, testBroker, TestClock } from '@tidings/testing';
import type { EmbeddedBroker } from '@tidings/streaming';
import { Registry } from 'prom-client';
import { openRegistry, type RegistryService } from './registry.ts';

const QUOTA = 5;
const account = 'default';

describeWithMongo('two replicas of the registry', (mongo) => {
  let broker: EmbeddedBroker;
  const replicas: RegistryService[] = [];
  let application: string;

  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log') });
    for (let i = 0; i < 2; i++) {
      replicas.push(
        await openRegistry({
          db: mongo.db,
          clock: new TestClock(),
          log: openLog('error'),
          metrics: new Registry(),
          broker,
          keys: keysFrom(new Uint8Array(32).fill(3)),
          hasReplicas: true,
          quotas: { ...defaultQuotas, presets: QUOTA, testDevices: QUOTA },
        }),
      );
    }
    const details = { title: 'App', icon: Buffer.alloc(0), sdkIos: '', sdkAndroid: '', authorizeAllTokens: false };
    const created = await replicas[0]!.applications.createApplication({ account, ...details, tokenId: '' });
    application = created.application;
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    await broker?.close();
  });

  const race = (create: (replica: RegistryService, i: number) => Promise<unknown>): Promise<string[]> =>
    Promise.all(
      Array.from({ length: 4 * QUOTA }, (_, i) =>
        create(replicas[i % 2]!, i).then(
          () => 'made',
          (error: unknown) => Fault.from(error).message,
        ),
      ),
    );

  it('do not exceed a quota together (R-LM7)', async () => {
    const presets = await race(({ presets: of }, i) =>
      of.createPreset({ account, preset: Preset.fromPartial({ name: `p${i}`, application }) }),
    );
    expect(presets.filter((what) => what === 'made')).toHaveLength(QUOTA);
    expect(presets.filter((what) => what === `Preset limit reached (${QUOTA})`)).toHaveLength(3 * QUOTA);
    const listed = await replicas[1]!.presets.listPresets({ account, application, after: '' });
    expect(listed.presets).toHaveLength(QUOTA);

    const devices = await race(({ testDevices }, i) =>
      testDevices.setTestDevice({
        application,
        device: { pushToken: `t${i}`, platform: 3, name: 'x', description: '', language: '', unconfirmed: false },
        withoutToken: false,
      }),
    );
    expect(devices.filter((what) => what === 'made')).toHaveLength(QUOTA);
    expect(devices.filter((what) => what === `Test device limit reached (${QUOTA})`)).toHaveLength(3 * QUOTA);
  });

  it('stay within the quota after deletions on either', async () => {
    const { presets } = await replicas[0]!.presets.listPresets({ account, application, after: '' });
    for (const [i, { code }] of presets.slice(0, 2).entries()) {
      await replicas[i % 2]!.presets.deletePreset({ account, code });
    }
    const again = await race(({ presets: of }, i) =>
      of.createPreset({ account, preset: Preset.fromPartial({ name: `q${i}`, application }) }),
    );
    expect(again.filter((what) => what === 'made')).toHaveLength(2);
  });

  it('commit nothing for an unchanged test device (R-L1)', async () => {
    const commits = () => mongo.db.collection('accounts.commits').countDocuments();
    const { devices } = await replicas[0]!.testDevices.listTestDevices({ application, after: '' });
    const before = await commits();
    expect(before).toBeGreaterThan(0);
    await replicas[1]!.testDevices.setTestDevice({ application, device: devices[0], withoutToken: false });
    expect(await commits()).toBe(before);
    await replicas[1]!.testDevices.setTestDevice({
      application,
      device: { ...devices[0]!, name: 'renamed' },
      withoutToken: false,
    });
    expect(await commits()).toBe(before + 1);
  });
});
