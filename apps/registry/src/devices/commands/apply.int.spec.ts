import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { Platform } from '@tidings/kernel';
import { type DeviceCommand, RecordEvent, Register } from '@tidings/rpc';
import type { EmbeddedBroker } from '@tidings/streaming';
import { describeWithMongo, testBroker, TestClock } from '@tidings/testing';
import { keysFrom } from '@tidings/runtime';
import type { Binary, Document } from 'mongodb';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openRegistry, type RegistryService } from '../../registry.ts';

const account = 'default';
const DAY_SECONDS = 86_400;

describeWithMongo('commands about devices', (mongo) => {
  const clock = new TestClock();
  let broker: EmbeddedBroker;
  let registry: RegistryService;
  let application: string;

  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log') });
    registry = await openRegistry({
      db: mongo.db,
      clock,
      log: pino({ level: 'silent' }),
      metrics: new Registry(),
      keys: keysFrom(new Uint8Array(32).fill(3)),
      broker,
    });
    const made = { account, title: 'App', icon: Buffer.alloc(0), sdkIos: '', sdkAndroid: '', tokenId: '' };
    application = (await registry.applications.createApplication({ ...made, authorizeAllTokens: false })).application;
    for (const [name, type] of [
      ['Level', TagType.TAG_TYPE_INTEGER],
      ['Things', TagType.TAG_TYPE_LIST],
    ] as const) {
      await registry.tags.addTag({ account, name, type, applicationSpecific: true });
    }
  });
  afterAll(async () => {
    await registry?.close();
    await broker?.close();
  });
  beforeEach(() => clock.advance(1));

  const apply = async (to: Partial<DeviceCommand>, command: DeviceCommand['command']): Promise<string | undefined> => {
    const nobody = { hwid: '', userId: '', idempotencyKey: '' };
    const { replies } = await registry.devices.apply({
      commands: [{ account, application, ...nobody, ...to, command }],
    });
    return replies[0]!.fault?.text;
  };
  const register = (hwid: string, more: Partial<Register> = {}) =>
    apply({ hwid }, { $case: 'register', value: { ...Register.create(), platform: Platform.Android, ...more } });
  const setTags = (to: Partial<DeviceCommand>, tags: Record<string, unknown>) =>
    apply(to, { $case: 'setTags', value: { tags } });
  const tagsOf = async (hwid: string) =>
    (await registry.devices.getTags({ account, application, hwid, userId: '' })).tags!;
  const stored = async (hwid: string): Promise<Document> =>
    (await mongo.db.collection('devices').findOne({ app: application, hwid }))!;

  it('remove a push token from its recent owner before they are answered (R-RES2)', async () => {
    await register('first', { pushToken: 'moving' });
    await register('elsewhere', { platform: Platform.Chrome, pushToken: 'moving' });
    clock.advance(1);
    await register('second', { pushToken: 'moving' });
    expect(await stored('first')).not.toHaveProperty('token');
    expect(await stored('second')).toMatchObject({ token: 'moving' });
    expect(await stored('elsewhere')).toMatchObject({ token: 'moving' });
    clock.advance(1);
    await register('first', { pushToken: 'moving' });
    expect(await stored('second')).not.toHaveProperty('token');
    expect(await stored('first')).toMatchObject({ token: 'moving' });
  });

  it('register an e-mail contact under a hwid of its own, which keeps its address (R-C1)', async () => {
    const mail = { platform: Platform.Email };
    const refused = 'Email address has invalid count of parts';
    expect(await register('user-77', mail)).toBe(refused);
    expect(await stored('user-77')).toBeNull();
    await register('user-77', { ...mail, pushToken: 'anna@example.com' });
    expect(await register('user-77', { ...mail, language: 'de' })).toBeUndefined();
    expect(await stored('user-77')).toMatchObject({ token: 'anna@example.com', lang: 'de' });
    expect(await register('user-77', { ...mail, pushToken: '' })).toBe(refused);
  });

  it('set the tags of all devices of a user, or of none (R-C4)', async () => {
    const full = Array.from({ length: 1000 }, (_, i) => `item ${i}`);
    await register('full', { userId: 'owner', tags: { Things: full } });
    await register('empty', { userId: 'owner' });
    const tags = { Level: { operation: 'increment', value: 1 }, Things: { operation: 'append', value: ['one more'] } };
    expect(await setTags({ userId: 'owner' }, tags)).toBe('tags.Things: wrong value: list expected');
    expect(await tagsOf('empty')).not.toHaveProperty('Things');
    expect(await tagsOf('empty')).not.toHaveProperty('Level');

    await setTags({ hwid: 'full' }, { Things: null });
    const keyed = { userId: 'owner', idempotencyKey: 'k' };
    const later = { Timezone: { operation: 'increment', value: 50_000 } };
    expect(await setTags(keyed, later)).toBeUndefined();
    // A repeat has no second effect, so an unsuitable one is not refused either.
    expect(await setTags(keyed, later)).toBeUndefined();
    expect(await tagsOf('full')).toMatchObject({ Timezone: 50_000 });
  });

  it("record an event of a user once, on any of the user's devices (R-ER11)", async () => {
    await register('old-phone', { userId: 'player' });
    clock.advance(1);
    await register('new-phone', { userId: 'player' });
    const purchase = { product: 'coins', quantity: 1, at: clock.date };
    const buy = () =>
      apply(
        { userId: 'player', idempotencyKey: 'k' },
        { $case: 'recordEvent', value: { ...RecordEvent.create(), name: 'x', purchase } },
      );
    await buy();
    clock.advance(1);
    await apply({ hwid: 'old-phone' }, { $case: 'open', value: {} });
    await buy();
    expect(await tagsOf('new-phone')).toMatchObject({ 'In-app Purchase': 1 });
    expect(await tagsOf('old-phone')).not.toHaveProperty('In-app Purchase');
  });

  it('publish the data of an event in its fact, with its own time (R-X1)', async () => {
    await register('player-2');
    const details = { attributes: '{"level":7}', happenedAt: new Date('2026-01-15T12:00:00Z'), localAt: undefined };
    await apply(
      { hwid: 'player-2' },
      { $case: 'recordEvent', value: { ...RecordEvent.create(), name: 'Level Up', ...details } },
    );
    const commits = await mongo.db.collection('devices.commits').find().toArray();
    const events = commits.flatMap(({ events: stored }) =>
      (stored as Binary[]).map(({ buffer }) => DeviceEvent.decode(buffer)),
    );
    const occurred = events.flatMap(({ event }) => (event?.$case === 'occurred' ? [event.value] : []));
    expect(occurred).toContainEqual({ ...details, name: 'Level Up', amount: undefined, currency: undefined });
  });

  it('accept the latest dates from every source (R-RES8)', async () => {
    const last = '9999-12-31 23:59';
    const purchase = { product: 'coins', quantity: 1, at: new Date('9999-12-31T23:59:59Z') };
    await register('lasting', { tags: { 'First Install': last } });
    await apply({ hwid: 'lasting' }, { $case: 'recordEvent', value: { ...RecordEvent.create(), name: 'x', purchase } });
    await setTags({ hwid: 'lasting' }, { 'Last Application Open': last });
    expect(await tagsOf('lasting')).toMatchObject({
      'First Install': last,
      'Last In-app Purchase Date': last,
      'Last Application Open': last,
    });
  });

  it('merge a user once per key, with the personal default tags (R-X2, R-ER11)', async () => {
    const merge = () =>
      registry.devices.mergeUser({
        account,
        application,
        oldUserId: 'guest',
        newUserId: 'anna',
        merge: true,
        idempotencyKey: 'k',
      });
    const userOf = async (hwid: string): Promise<unknown> => (await stored(hwid))['userId'];
    await register('own', { userId: 'anna' });
    await register('guest-1', { userId: 'guest', city: 'Bonn', deviceModel: 'Pixel 8', tags: { Level: 2 } });
    await merge();
    const tags = await tagsOf('own');
    expect(tags).toMatchObject({ City: 'Bonn', Level: 2 });
    expect(tags).not.toHaveProperty('Device Model');
    await register('guest-2', { userId: 'guest' });
    await merge();
    expect([await userOf('guest-1'), await userOf('guest-2')]).toEqual(['anna', 'guest']);
    clock.advance(DAY_SECONDS + 1);
    await merge();
    expect(await userOf('guest-2')).toBe('anna');
  });

  it('end a user without naming another (R-X2)', async () => {
    await register('left', { userId: 'leaving' });
    const ending = { account, application, oldUserId: 'leaving', newUserId: '', merge: false, idempotencyKey: '' };
    await registry.devices.mergeUser(ending);
    expect(await stored('left')).not.toHaveProperty('userId');
  });
});
