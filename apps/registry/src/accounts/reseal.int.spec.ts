import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { APPLICATIONS } from '@tidings/registry-store';
import { type DeploymentKeys, masterKeyId, open, openKeys, seal, sealedWith, systemDatabase } from '@tidings/runtime';
import type { EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, testBroker, TestClock } from '@tidings/testing';
import { type Binary, Binary as MongoBinary } from 'mongodb';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openRegistry, type RegistryService } from '../registry.ts';

const [one, two, three] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const IOS = 1;
/** More than one page. */
const APPLICATIONS_MADE = 120;

describeWithMongo('resealing', (mongo) => {
  const system = () => systemDatabase(mongo.client, mongo.prefix);
  const lines: string[] = [];
  let broker: EmbeddedBroker;
  const applications: string[] = [];

  const registryWith = async (keys: DeploymentKeys): Promise<RegistryService> => {
    await keys.rotation?.finish('webhooks');
    return openRegistry({
      db: mongo.db,
      clock: new TestClock(),
      metrics: new Registry(),
      keys,
      broker,
      log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    });
  };
  const settled = async (registry: RegistryService): Promise<void> => {
    while ((await registry.operations.settled({})).open.length > 0) await new Promise((next) => setTimeout(next, 10));
  };
  const configure = (registry: RegistryService, application: string, secret: string) =>
    registry.platforms.configurePlatform({
      account: 'default',
      application,
      platform: IOS,
      disabled: false,
      settings: { ios_key_id: 'K', ios_key_file: secret, ios_key_password: '' },
      secretSettings: ['ios_key_file', 'ios_key_password'],
    });
  const reports = () => lines.filter((line) => line.includes('nothing is sealed with TIDINGS_MASTER_KEY_PREVIOUS'));

  async function boxes() {
    const found: { readonly application: string; readonly field: string; readonly box: Uint8Array }[] = [];
    const add = (application: string, sealed: Readonly<Record<string, Uint8Array | Binary>>): void => {
      for (const [field, box] of Object.entries(sealed))
        found.push({ application, field, box: box instanceof MongoBinary ? box.buffer : box });
    };
    for await (const { _id, platforms } of mongo.db.collection(APPLICATIONS).find())
      for (const { sealed } of platforms as { sealed: Record<string, Binary> }[]) add(String(_id), sealed);
    for await (const { events } of mongo.db.collection('accounts.commits').find()) {
      for (const bytes of events as Binary[]) {
        const { event } = AccountEvent.decode(bytes.buffer);
        if (event?.$case === 'platformConfigured' || event?.$case === 'platformResealed')
          add(event.value.application, event.value.sealed);
      }
    }
    return found;
  }

  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log') });
    const registry = await registryWith(await openKeys(system(), [one]));
    const request = { account: 'default', title: 'App', icon: Buffer.alloc(0), sdkIos: '', sdkAndroid: '' };
    const make = async (i: number): Promise<void> => {
      const made = await registry.applications.createApplication({
        ...request,
        authorizeAllTokens: false,
        tokenId: '',
      });
      applications[i] = made.application;
      await configure(registry, made.application, `secret ${i}`);
    };
    await Promise.all(Array.from({ length: APPLICATIONS_MADE }, (_, i) => make(i)));
    await settled(registry);
    await registry.close();
  });
  afterAll(() => broker.close());

  const expectAll = async (key: Uint8Array): Promise<void> => {
    const all = await boxes();
    expect(all.length).toBeGreaterThanOrEqual(4 * APPLICATIONS_MADE);
    expect(new Set(all.map(({ box }) => sealedWith(box)))).toEqual(new Set([masterKeyId(key)]));
    for (const { application, field, box } of all) {
      const secret = field === 'ios_key_file' ? `secret ${applications.indexOf(application)}` : '';
      expect(open([key], { application, field }, box).toString()).toBe(secret);
    }
  };

  it('reseals all states and commits in concurrent processes, and keeps concurrent changes', async () => {
    await expectAll(one);
    const keys = await openKeys(system(), [two, one]);
    const both = await Promise.all([registryWith(keys), registryWith(keys)]);
    await configure(both[0], applications[7]!, 'secret 7');
    await Promise.all(both.map(settled));
    await expectAll(two);
    const versions = await Promise.all(
      applications.map((application) => both[1].platforms.getCredential({ application, platform: IOS })),
    );
    expect(versions.map(({ version }) => version)).toEqual(applications.map((_, i) => (i === 7 ? 2 : 1)));
    expect(reports()).toHaveLength(2);
    expect(JSON.parse(reports()[0]!)).toMatchObject({ current: masterKeyId(two), previous: masterKeyId(one) });
    await Promise.all(both.map((registry) => registry.close()));
    await (await registryWith(await openKeys(system(), [two]))).close();
    await expect(openKeys(system(), [one])).rejects.toThrow(
      `the data was written with the master key ${masterKeyId(two)}`,
    );
  });

  it('resumes after a stop', async () => {
    const stopped = await registryWith(await openKeys(system(), [three, two]));
    await stopped.close();
    await expect(openKeys(system(), [three])).rejects.toThrow(`written with the master key ${masterKeyId(two)}`);
    const registry = await registryWith(await openKeys(system(), [three, two]));
    await settled(registry);
    await registry.close();
    await expectAll(three);
    await openKeys(system(), [three]);
  });

  it('leaves boxes to other processes that seal with the key that is the previous one here', async () => {
    const announced = await openKeys(system(), [three, one]);
    const rotated = await openKeys(system(), [one, three]);
    const registry = await registryWith(announced);
    await settled(registry);
    await expectAll(three);
    const other = await registryWith(rotated);
    await settled(other);
    await expectAll(one);
    await Promise.all([registry.close(), other.close()]);
  });

  it('logs a box that no key opens once, and continues', async () => {
    const place = { application: applications[3]!, field: 'ios_key_file' };
    const lost = Buffer.from(seal([Buffer.alloc(32, 9)], place, 'lost'));
    const $set = { 'platforms.0.sealed.ios_key_file': lost };
    await mongo.db.collection<{ _id: string }>(APPLICATIONS).updateOne({ _id: place.application }, { $set });
    const registry = await registryWith(await openKeys(system(), [two, one]));
    await settled(registry);
    await registry.close();
    const warnings = lines.filter((line) => line.includes('opens with no master key'));
    expect(warnings.map((line) => JSON.parse(line) as unknown)).toEqual([expect.objectContaining(place)]);
    const others = (await boxes()).filter(({ box }) => sealedWith(box) !== masterKeyId(Buffer.alloc(32, 9)));
    expect(new Set(others.map(({ box }) => sealedWith(box)))).toEqual(new Set([masterKeyId(two)]));
    await openKeys(system(), [two]);
  });
});
