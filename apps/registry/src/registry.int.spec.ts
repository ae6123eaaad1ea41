import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TagType, topicNames, SliceOutcome } from '@tidings/events';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { checkOf } from '@tidings/audience';
import { Platform } from '@tidings/kernel';
import {
  ApplicationView,
  type DeviceCommand,
  type DeviceReply,
  type Register,
  TokenScope,
  TokenView,
} from '@tidings/rpc';
import { describeWithMongo, testBroker, TestClock } from '@tidings/testing';
import type { EmbeddedBroker, InRecord } from '@tidings/streaming';
import { keysFrom } from '@tidings/runtime';
import type { Document } from 'mongodb';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { languageCounts } from './applications/languages.ts';
import { openRegistry, type RegistryService } from './registry.ts';

const DENIED = 'Access denied or application not found';
const noFault: DeviceReply = { fault: undefined };
const argument = (text: string): DeviceReply => ({ fault: { kind: 'argument', text } });

describeWithMongo('the registry', (mongo) => {
  const clock = new TestClock();
  const lines: string[] = [];
  let broker: EmbeddedBroker;
  let registry: RegistryService;
  let app: string;
  let sibling: string;

  const open = (more: { hasReplicas?: boolean } = {}) =>
    openRegistry({
      ...more,
      db: mongo.db,
      clock,
      log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
      metrics: new Registry(),
      keys: keysFrom(new Uint8Array(32).fill(3)),
      broker,
    });

  beforeAll(async () => {
    broker = await testBroker({ db: mongo.database('log') });
    registry = await open();
    app = await newApplication();
    sibling = await newApplication();
  });
  afterAll(async () => {
    await registry.close();
    await broker.close();
  });

  const newApplication = async (account = 'default'): Promise<string> => {
    const request = {
      account,
      title: 'App',
      icon: Buffer.alloc(0),
      sdkIos: '',
      sdkAndroid: '',
      authorizeAllTokens: false,
      tokenId: '',
    };
    return (await registry.accounts.createApplication(request)).application;
  };

  /** Waits until nothing is open. */
  const settle = async (): Promise<void> => {
    for (let tries = 0; tries < 500; tries++) {
      if ((await registry.operations.settled({})).open.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`not settled: ${(await registry.operations.settled({})).open.join(', ')}`);
  };

  const command = (hwid: string, what: DeviceCommand['command'], more: Partial<DeviceCommand> = {}): DeviceCommand => ({
    account: 'default',
    application: app,
    hwid,
    userId: '',
    idempotencyKey: '',
    command: what,
    ...more,
  });
  const registration = (more: Partial<Register> = {}): DeviceCommand['command'] => ({
    $case: 'register',
    value: { platform: Platform.Android, tags: undefined, ...more },
  });
  const apply = async (...commands: DeviceCommand[]): Promise<DeviceReply[]> => {
    const { replies } = await registry.devices.apply({ commands });
    return replies;
  };
  const register = async (
    hwid: string,
    more: Partial<Register> = {},
    where: Partial<DeviceCommand> = {},
  ): Promise<DeviceReply> => (await apply(command(hwid, registration(more), where)))[0]!;
  const setTags = async (
    hwid: string,
    tags: Record<string, unknown>,
    where: Partial<DeviceCommand> = {},
  ): Promise<DeviceReply> => (await apply(command(hwid, { $case: 'setTags', value: { tags } }, where)))[0]!;
  const tagsOf = async (
    hwid: string,
    more: { application?: string; userId?: string } = {},
  ): Promise<Record<string, unknown>> => {
    const reply = await registry.devices.getTags({ account: 'default', application: app, hwid, userId: '', ...more });
    return reply.tags!;
  };
  const stored = async (hwid: string, application = app): Promise<Document> =>
    (await mongo.db.collection('devices').findOne({ app: application, hwid }))!;
  const commits = () => mongo.db.collection('devices.commits').countDocuments();

  /** Records of a topic that are there, and those of what happens meanwhile, which it may lose as soon as all have read them. */
  const published = async <T>(
    topic: string,
    decode: (bytes: Uint8Array) => T,
    happens: () => Promise<unknown> = async () => undefined,
  ): Promise<{ key: string; value: T }[]> => {
    const records: InRecord[] = [];
    const group = `reader-${Math.random()}`;
    const subscription = await broker.subscribe({
      group,
      topics: [topic],
      handler: async (batch) => void records.push(...batch.records),
    });
    await happens();
    await settle();
    for (;;) {
      const lag = await broker.lag(group);
      if (lag.length > 0 && lag.every(({ committed, end }) => committed === end)) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await subscription.stop();
    return records.map(({ key, value }) => ({ key, value: decode(value) }));
  };

  it('forgets the place of a device that tells none any more (R-C13)', async () => {
    await register('walker');
    const where = { account: 'default', application: app, hwid: 'walker', nearest: 1, idempotencyKey: '' };
    const report = (lat?: number, lng?: number) => registry.geozones.report({ ...where, lat, lng });
    await report(52.5, 13.4);
    expect((await stored('walker'))['self']).toMatchObject({ place: { lat: 52.5, lng: 13.4 } });
    expect(await report()).toEqual({ nearest: [] });
    expect((await stored('walker'))['self']).not.toHaveProperty('place');
    await expect(registry.geozones.report({ ...where, hwid: 'nobody' })).rejects.toThrow('Device not found');
  });

  describe('devices', () => {
    it('are registered, updated and unregistered', async () => {
      const first = await register('d1', {
        pushToken: 'TokenOne',
        language: 'de-AT',
        timezoneSeconds: 3600,
        appVersion: '1.2.0',
        deviceModel: 'Pixel',
        osVersion: 'fifteen',
        country: 'at',
        userId: 'anna',
        publicKey: 'pk',
      });
      expect(first).toEqual(noFault);
      const device = await stored('d1');
      expect(device).toMatchObject({
        account: 'default',
        app,
        status: 1,
        platform: 3,
        token: 'TokenOne',
        userId: 'anna',
        lang: 'de',
        tz: 3600,
        alerts: true,
        publicKey: 'pk',
      });
      expect(typeof device['seq']).toBe('number');
      expect(Object.values(device)).not.toContain(null);
      expect(await tagsOf('d1')).toEqual({
        Language: 'de',
        Timezone: 3600,
        Country: 'AT',
        'Application Version': '1.2.0',
        'Device Model': 'Pixel',
        'First Install': '2026-01-15 12:00',
        'Push Alerts Enabled': true,
      });
      await register('d1', { pushToken: 'TokenTwo', userId: 'anna' });
      expect(await stored('d1')).toMatchObject({ token: 'TokenTwo', lang: 'de' });
      expect((await stored('d1'))['seq']).toBe(device['seq']);
      expect(await apply(command('d1', { $case: 'unregister', value: {} }))).toEqual([noFault]);
      const after = await stored('d1');
      expect(after).toMatchObject({ alerts: false, lang: 'de' });
      expect(after).not.toHaveProperty('token');
      expect(after).not.toHaveProperty('th');
    });

    it('registered again unchanged commit nothing, and note the token', async () => {
      await register('same', { pushToken: 'same-token', language: 'en' });
      const before = await commits();
      clock.advance(60);
      expect(await register('same', { pushToken: 'same-token', language: 'en' })).toEqual(noFault);
      expect(await commits()).toBe(before);
      expect((await stored('same'))['self']).toEqual({ tokenAt: clock.now() });
    });

    it('get numbers in order, each its own, also when they come at once', async () => {
      const application = await newApplication();
      const hwids = Array.from({ length: 300 }, (_, i) => `n${i}`);
      const replies = await apply(...hwids.map((hwid) => command(hwid, registration(), { application })));
      expect(replies.every(({ fault }) => fault === undefined)).toBe(true);
      const { locations } = await registry.devices.locate({
        account: 'default',
        application,
        hwids: [...hwids, 'nobody'],
      });
      const seqs = locations.filter(({ found }) => found).map(({ seq }) => seq);
      expect(seqs.sort((a, b) => a - b)).toEqual(hwids.map((_, i) => i));
      expect(locations[300]).toEqual({ found: false, seq: 0, platform: 0, hasToken: false });
    });

    it.each<[string, Partial<Register>, string]>([
      ['', {}, 'Hwid is not valid'],
      ['x'.repeat(256), {}, 'Hwid is not valid'],
      ['0171234567', { platform: 18 }, 'Hwid is not valid'],
      ['+4917123456', { platform: 21 }, 'Hwid is not valid'],
      ['d', { platform: 5 }, 'device_type: unknown platform'],
      ['d', { language: 'german' }, 'language: must be a two-letter code'],
      ['d', { timezoneSeconds: 60_000 }, 'timezone: must be -43200 to 50400'],
      ['d', { userId: 'x'.repeat(256) }, 'userId: must have 1 to 255 characters'],
    ])('%j %j is refused: %s', async (hwid, more, text) => expect(await register(hwid, more)).toEqual(argument(text)));

    it('with an address for a hwid have it for a token', async () => {
      await register('+491712345678', { platform: 18 });
      await register('whatsapp:+491712345678', { platform: 21, pushToken: 'ignored' });
      await register('Some@Example.com', { platform: 14 });
      expect((await stored('+491712345678'))['token']).toBe('+491712345678');
      expect((await stored('whatsapp:+491712345678'))['token']).toBe('whatsapp:+491712345678');
      expect((await stored('some@example.com'))['token']).toBe('some@example.com');
    });

    it('take the longest hwid, token, user and tags there are', async () => {
      const hwid = '😀'.repeat(255);
      const pushToken = '€'.repeat(65_536);
      await registry.accounts.addTag({
        account: '',
        name: '😀'.repeat(255),
        type: TagType.TAG_TYPE_STRING,
        applicationSpecific: true,
      });
      await registry.accounts.addTag({
        account: '',
        name: 'long list',
        type: TagType.TAG_TYPE_LIST,
        applicationSpecific: false,
      });
      const list = Array.from({ length: 1000 }, (_, i) => `${'€'.repeat(250)}${i}`);
      const tags = { ['😀'.repeat(255)]: '😀'.repeat(1024), 'long list': list };
      const reply = await register(hwid, { pushToken, userId: '😀'.repeat(255), tags, publicKey: 'k'.repeat(65_536) });
      expect(reply).toEqual(noFault);
      const shown = await tagsOf(hwid);
      expect(shown['😀'.repeat(255)]).toBe('😀'.repeat(1024));
      expect(shown['long list']).toEqual(list);
      expect((await registry.devices.prepare(names('devices', [pushToken]))).audiences[0]?.unknown).toEqual([]);
      expect(await register(hwid, { pushToken: 'x'.repeat(65_537) })).toEqual(
        argument('push_token: at most 65536 characters'),
      );
    });

    it('of another account, and of applications that do not exist, are not there', async () => {
      const { account } = await registry.accounts.createAccount({ name: 'Other' });
      const foreign = await newApplication(account);
      await register('mine', {}, { account, application: foreign });
      expect(await register('d', {}, { application: foreign })).toEqual(argument(DENIED));
      expect(await register('d', {}, { application: 'FFFFF-FFFFF' })).toEqual(argument(DENIED));
      expect(await setTags('mine', {}, { application: foreign })).toEqual(argument(DENIED));
      expect(await setTags('', {}, { application: foreign, userId: 'anna' })).toEqual(argument(DENIED));
      const request = { account: 'default', application: foreign };
      await expect(registry.devices.getTags({ ...request, hwid: 'mine', userId: '' })).rejects.toThrow(DENIED);
      await expect(registry.devices.prepare({ ...request, audiences: [] })).rejects.toThrow(DENIED);
      expect((await registry.devices.locate({ ...request, hwids: ['mine'] })).locations[0]?.found).toBe(false);
      const own = await registry.devices.locate({ account, application: foreign, hwids: ['mine'] });
      expect(own.locations[0]?.found).toBe(true);
      const described = await registry.devices.describe({ ...request, seqs: [own.locations[0]!.seq], tags: [] });
      expect(described.devices).toMatchObject([{ found: false, hwid: '' }]);
    });

    it('are described by number, with the values that placeholders show', async () => {
      const application = await newApplication();
      const type = TagType.TAG_TYPE_LIST;
      await registry.accounts.addTag({ account: '', name: 'Described', type, applicationSpecific: false });
      await register('first', { pushToken: 'first-token', language: 'de', userId: 'anna' }, { application });
      await register('second', {}, { application });
      await setTags('first', { Described: ['a', 'b'], 'Push Alerts Enabled': false }, { application });
      const names = ['Described', 'Push Alerts Enabled', 'Language', 'No Tag'];
      const { devices } = await registry.devices.describe({
        ...{ account: 'default', application },
        ...{ seqs: [1, 7, 0], tags: names },
      });
      expect(devices).toMatchObject([
        { found: true, hwid: 'second', userId: 'second', language: '', token: '', values: ['', '', '', ''] },
        { found: false },
        { hwid: 'first', userId: 'anna', language: 'de', token: 'first-token', values: ['a, b', 'false', 'de', ''] },
      ]);
      const person = (await stored('first', application))['person'] as string;
      expect(devices[2]!.check).toBe(checkOf(person));
    });

    it('are told of on tidings.devices, by application and hwid', async () => {
      const change = async () => {
        await register('told', { pushToken: 'told-token', language: 'fr' });
        await setTags('told', { Language: 'it' });
      };
      const records = await published(topicNames.devices, (bytes) => DeviceEvent.decode(bytes), change);
      const events = records.filter(({ key }) => key === `${app}/told`);
      expect(events.map(({ value }) => value.event?.$case)).toEqual(['registered', 'tagsChanged']);
      expect(events[0]?.value.stamp).toMatchObject({
        log: expect.stringMatching(/^devices-\d+$/) as unknown,
        index: 0,
      });
    });
  });

  const names = (kind: 'devices' | 'users', list: string[]) => ({
    account: 'default',
    application: app,
    audiences: [
      { target: { $case: kind, value: { names: list } }, path: 'notifications[0]', preset: '', campaign: '' } as const,
    ],
  });

  describe('tags', () => {
    const tag = (name: string, type: TagType, applicationSpecific: boolean) =>
      registry.accounts.addTag({ account: 'default', name, type, applicationSpecific });

    beforeAll(async () => {
      await tag('Level', TagType.TAG_TYPE_INTEGER, false);
      await tag('Colour', TagType.TAG_TYPE_STRING, true);
      await tag('Products', TagType.TAG_TYPE_LIST, false);
    });

    it('are shared by the applications of the account unless they are application specific', async () => {
      await register('shared');
      await register('shared', {}, { application: sibling });
      expect(await setTags('shared', { Level: 3, Colour: 'red', Unknown: 1 })).toEqual(noFault);
      expect(await tagsOf('shared', { application: sibling })).toMatchObject({ Level: 3 });
      expect(await tagsOf('shared', { application: sibling })).not.toHaveProperty('Colour');
      const third = await newApplication();
      await register('shared', {}, { application: third });
      expect(await tagsOf('shared', { application: third })).toMatchObject({ Level: 3 });
    });

    it('are shared by applications that a person comes to in one call', async () => {
      await apply(
        command('both', registration({ tags: { Level: 9, Colour: 'red' } })),
        command('both', registration({ tags: { Products: ['a'] } }), { application: sibling }),
      );
      expect(await tagsOf('both')).toMatchObject({ Level: 9, Products: ['a'], Colour: 'red' });
      expect(await tagsOf('both', { application: sibling })).toMatchObject({ Level: 9, Products: ['a'] });
    });

    it('wrong in setTags change nothing; wrong in a registration are skipped', async () => {
      await register('wrong', { tags: { Level: 'high', Colour: 'blue', Nope: 1 } });
      expect(await tagsOf('wrong')).toMatchObject({ Colour: 'blue' });
      expect(await setTags('wrong', { Colour: 'green', Level: 'high' })).toEqual(
        argument('tags.Level: wrong value: integer expected'),
      );
      expect(await tagsOf('wrong')).toMatchObject({ Colour: 'blue' });
      expect(await setTags('nobody', {})).toEqual(argument('Device not found'));
    });

    it('are counted up exactly by many at once', async () => {
      await register('counter');
      await apply(
        ...Array.from({ length: 200 }, () =>
          command('counter', { $case: 'setTags', value: { tags: { Level: { operation: 'increment', value: 1 } } } }),
        ),
      );
      expect(await tagsOf('counter')).toMatchObject({ Level: 200 });
    });

    it('are set for all devices of a user, and merged', async () => {
      await register('u1', { userId: 'bert' });
      await register('u2', { userId: 'bert' });
      expect(await setTags('', { Colour: 'red' }, { userId: 'bert' })).toEqual(noFault);
      expect(await tagsOf('u1')).toMatchObject({ Colour: 'red' });
      await setTags('u2', { Colour: 'green' });
      await setTags('u1', { Products: ['a'] });
      clock.advance(60);
      await apply(command('u2', { $case: 'open', value: {} }));
      expect(await tagsOf('', { userId: 'bert' })).toMatchObject({ Colour: 'green', Products: ['a'] });
      clock.advance(60);
      await apply(command('u1', { $case: 'open', value: {} }));
      expect(await tagsOf('', { userId: 'bert' })).toMatchObject({ Colour: 'red' });
      expect(await setTags('', {}, { userId: 'nobody' })).toEqual(argument('User not found'));
      await expect(tagsOf('', { userId: 'nobody' })).rejects.toThrow('User not found');
      await expect(tagsOf('nobody')).rejects.toThrow('Device not found');
    });

    it('of an open: last activity, and what is sent along', async () => {
      await register('opened');
      await apply(command('opened', { $case: 'open', value: { osVersion: '15.1', language: 'pl' } }));
      expect(await tagsOf('opened')).toMatchObject({
        'OS Version': '15.1',
        Language: 'pl',
        'Last Application Open': new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' '),
      });
      await setTags('opened', { 'Last Application Open': { operation: 'remove', value: '2020-01-01' } });
      expect(await tagsOf('opened')).toHaveProperty('Last Application Open');
      expect(await setTags('opened', { 'Last Application Open': null })).toEqual(noFault);
      expect(await tagsOf('opened')).not.toHaveProperty('Last Application Open');
    });

    it('are listed by name, default tags included, and added once', async () => {
      const { tags } = await registry.accounts.listTags({ account: 'default' });
      expect(tags.map(({ name }) => name)).toEqual(tags.map(({ name }) => name).toSorted());
      expect(tags.find(({ name }) => name === 'Language')).toMatchObject({
        type: TagType.TAG_TYPE_STRING,
        applicationSpecific: true,
      });
      await expect(tag('Level', TagType.TAG_TYPE_LIST, false)).rejects.toThrow('Tag already exists');
    });

    it('can be used as soon as they were added, on other replicas too', async () => {
      const [one, other] = [await open({ hasReplicas: true }), await open({ hasReplicas: true })];
      const onOther = async (what: DeviceCommand['command']): Promise<void> => {
        expect(await other.devices.apply({ commands: [command('replica', what)] })).toEqual({ replies: [noFault] });
      };
      const added = { account: 'default', type: TagType.TAG_TYPE_STRING, applicationSpecific: false };
      try {
        await register('replica');
        await one.accounts.addTag({ ...added, name: 'Brand new' });
        await onOther({ $case: 'setTags', value: { tags: { 'Brand new': 'x' } } });
        expect(await tagsOf('replica')).toMatchObject({ 'Brand new': 'x' });
        // It has just been told that there is no such tag: registrations skip it.
        await onOther(registration({ tags: { Newer: 'x' } }));
        await one.accounts.addTag({ ...added, name: 'Newer' });
        await onOther(registration({ tags: { Newer: 'x' } }));
        expect(await tagsOf('replica')).toMatchObject({ Newer: 'x' });
      } finally {
        await Promise.all([one.close(), other.close()]);
      }
    });

    it('in conditions become an expression', async () => {
      const prepare = (conditions: { tag: string; operator: string; operand: unknown }[]) =>
        registry.devices.prepare({
          account: 'default',
          application: app,
          audiences: [
            {
              target: { $case: 'conditions', value: { operator: '', conditions } },
              ...{ path: 'notifications[2]', preset: '', campaign: '' },
            },
          ],
        });
      const { audiences, application } = await prepare([{ tag: 'Level', operator: 'GTE', operand: 5 }]);
      expect(application?.code).toBe(app);
      expect(audiences[0]?.audience?.target).toMatchObject({
        $case: 'selection',
        value: {
          expression: { node: { $case: 'tag', value: { operands: [{ value: { $case: 'number', value: 5 } }] } } },
        },
      });
      await expect(prepare([{ tag: 'Nope', operator: 'EQ', operand: 1 }])).rejects.toThrow(
        'notifications[2].conditions[0]: unknown tag "Nope"',
      );
    });
  });

  describe('recipients', () => {
    it('are found by hwid, else by push token, in lower case for iOS, else unknown', async () => {
      await register('r1', { pushToken: 'Tok-A' });
      await register('r2', { platform: Platform.iOS, pushToken: 'ABCDEF' });
      await register('r3', { userId: 'clara' });
      const seq = async (hwid: string) => (await stored(hwid))['seq'] as number;
      const found = async (kind: 'devices' | 'users', list: string[]) => {
        const [audience] = (await registry.devices.prepare(names(kind, list))).audiences;
        const target = audience?.audience?.target;
        return { seqs: target?.$case === 'named' ? target.value.seqs : undefined, unknown: audience?.unknown };
      };
      expect((await stored('r2'))['token']).toBe('abcdef');
      expect(await found('devices', ['r1', 'AbCdEf', 'nobody', 'r1', 'nobody'])).toEqual({
        seqs: [await seq('r1'), await seq('r2')].sort((a, b) => a - b),
        unknown: ['nobody'],
      });
      expect(await found('devices', ['Tok-A', 'tok-a'])).toEqual({ seqs: [await seq('r1')], unknown: ['tok-a'] });
      expect(await found('users', ['clara', 'r1', 'nobody'])).toEqual({
        seqs: [await seq('r1'), await seq('r3')].sort((a, b) => a - b),
        unknown: [],
      });
    });
  });

  describe('a push token', () => {
    it('lives on the device that registered it last', async () => {
      await register('t1', { pushToken: 'moving' });
      clock.advance(1);
      await register('t2', { pushToken: 'moving' });
      await register('t3', { platform: Platform.Chrome, pushToken: 'moving' });
      await settle();
      expect(await stored('t1')).not.toHaveProperty('token');
      expect(await stored('t1')).toMatchObject({ alerts: true });
      expect(await stored('t2')).toMatchObject({ token: 'moving' });
      expect(await stored('t3')).toMatchObject({ token: 'moving' });
      clock.advance(1);
      await register('t1', { pushToken: 'moving' });
      await settle();
      expect(await stored('t2')).not.toHaveProperty('token');
      expect(await stored('t1')).toMatchObject({ token: 'moving' });
    });

    it('registered by many at once stays on one', async () => {
      await apply(
        ...Array.from({ length: 30 }, (_, i) => command(`crowd${i}`, registration({ pushToken: 'crowded' }))),
      );
      await settle();
      expect(await mongo.db.collection('devices').countDocuments({ app, token: 'crowded' })).toBe(1);
    });

    const outcome = async (
      hwid: string,
      token: string,
      times: { claimedAt: Date; since?: Date },
    ): Promise<SliceOutcome> => {
      const seq = (await stored(hwid))['seq'] as number;
      return {
        message: 'M',
        messageId: 1n,
        account: 'default',
        application: app,
        bucket: 0,
        chunk: seq >>> 16,
        platform: 3,
        variant: 'alert',
        number: 0,
        at: clock.date,
        outcome: {
          $case: 'settled',
          value: {
            sent: [],
            failed: [],
            deadTokens: [{ position: seq & 0xffff, token, since: times.since }],
            claimedAt: times.claimedAt,
          },
        },
      };
    };
    const publish = async (...outcomes: SliceOutcome[]): Promise<void> => {
      await broker.publish(
        topicNames.outcomes,
        outcomes.map((value) => ({ key: `M/${app}/0`, value: SliceOutcome.encode(value).finish() })),
      );
      await settle();
    };

    it('that is dead is forgotten, and alerts are off', async () => {
      await register('dead', { pushToken: 'dead-token' });
      clock.advance(10);
      const dead = await outcome('dead', 'dead-token', { claimedAt: clock.date });
      await publish(dead, dead);
      expect(await stored('dead')).not.toHaveProperty('token');
      expect(await stored('dead')).toMatchObject({ alerts: false });
      expect(await tagsOf('dead')).toMatchObject({ 'Push Alerts Enabled': false });
    });

    it('that was registered again since, or replaced, stays', async () => {
      await register('alive', { pushToken: 'alive-token' });
      await register('replaced', { pushToken: 'old' });
      const claimedAt = clock.date;
      clock.advance(10);
      await register('alive', { pushToken: 'alive-token' });
      await register('replaced', { pushToken: 'new' });
      clock.advance(10);
      await publish(
        await outcome('alive', 'alive-token', { claimedAt }),
        await outcome('alive', 'alive-token', { claimedAt: clock.date, since: claimedAt }),
        await outcome('replaced', 'old', { claimedAt: clock.date }),
      );
      expect(await stored('alive')).toMatchObject({ token: 'alive-token', alerts: true });
      expect(await stored('replaced')).toMatchObject({ token: 'new', alerts: true });
      await publish(await outcome('alive', 'alive-token', { claimedAt, since: clock.date }));
      expect(await stored('alive')).not.toHaveProperty('token');
    });
  });

  describe('an Idempotency-Key', () => {
    const increment = (hwid: string, idempotencyKey: string) =>
      command(
        hwid,
        { $case: 'setTags', value: { tags: { Level: { operation: 'increment', value: 1 } } } },
        { idempotencyKey },
      );

    it('lets a repeat have no second effect, for a day', async () => {
      await register('once');
      await register('twice');
      const key = 'k'.repeat(255);
      expect(await apply(increment('once', key), increment('once', key), increment('twice', key))).toEqual([
        noFault,
        noFault,
        noFault,
      ]);
      await apply(increment('once', key));
      expect(await tagsOf('once')).toMatchObject({ Level: 1 });
      expect(await tagsOf('twice')).toMatchObject({ Level: 1 });
      await apply(increment('once', 'another'));
      expect(await tagsOf('once')).toMatchObject({ Level: 2 });
      clock.advance(24 * 3600 + 1);
      await apply(increment('once', key));
      expect(await tagsOf('once')).toMatchObject({ Level: 3 });
    });

    it('of a refused request is not used up', async () => {
      expect(await apply(increment('later', 'k'))).toEqual([argument('Device not found')]);
      await register('later');
      await apply(increment('later', 'k'), increment('later', 'k'));
      expect(await tagsOf('later')).toMatchObject({ Level: 1 });
    });
  });

  describe('tokens and applications', () => {
    const issue = (more: Partial<Parameters<RegistryService['accounts']['issueToken']>[0]> = {}) =>
      registry.accounts.issueToken({
        account: '',
        scope: TokenScope.TOKEN_SCOPE_API,
        allApplications: true,
        applications: [],
        expiresAt: undefined,
        ...more,
      });

    it('are issued, resolved and revoked', async () => {
      const { id, secret } = await issue({ allApplications: false, applications: [app] });
      expect((await registry.accounts.resolveToken({ secret })).token).toMatchObject({
        id,
        account: 'default',
        scope: TokenScope.TOKEN_SCOPE_API,
        allApplications: false,
        applications: [app],
      });
      expect((await registry.accounts.resolveToken({ secret: `${secret.slice(0, -1)}x` })).token).toBeUndefined();
      expect((await registry.accounts.resolveToken({ secret: '' })).token).toBeUndefined();
      expect((await registry.accounts.listTokens({})).tokens.map((token) => token.id)).toContain(id);
      expect((await registry.accounts.findToken({ id })).token).toMatchObject({ id, applications: [app] });
      expect(await registry.accounts.revokeToken({ id })).toEqual({ revoked: true });
      expect((await registry.accounts.findToken({ id })).token).toBeUndefined();
      expect(await registry.accounts.revokeToken({ id })).toEqual({ revoked: false });
      expect((await registry.accounts.resolveToken({ secret })).token).toBeUndefined();
      expect(JSON.stringify(await mongo.db.collection('tokens').find().toArray())).not.toContain(secret);
      await expect(issue({ account: 'nobody' })).rejects.toThrow('Account not found');
      for (const account of ['default', 'nobody']) {
        expect(await registry.accounts.findAccount({ account })).toEqual({ found: account === 'default' });
      }
    });

    it('are published whole, by id', async () => {
      const { id } = await issue();
      const application = await newApplication();
      await registry.accounts.setDebug({ application, on: true });
      await registry.accounts.revokeToken({ id });
      const tokens = await published(topicNames.tokens, (bytes) => TokenView.decode(bytes));
      expect(tokens.filter(({ key }) => key === id).at(-1)?.value).toMatchObject({
        id,
        revoked: true,
        allApplications: false,
      });
      const applications = await published(topicNames.applications, (bytes) => ApplicationView.decode(bytes));
      const last = applications.filter(({ key }) => key === application).at(-1)!.value;
      expect(last).toEqual((await registry.accounts.findApplication({ application })).application);
      expect(last.debugUntil).toEqual(new Date(clock.now() + 3_600_000));
    });

    it('keep credentials sealed, wherever they are', async () => {
      const application = await newApplication();
      const secret = 'PLANTED-SECRET-1234567890';
      const request = {
        account: 'default',
        application,
        platform: Platform.iOS,
        settings: {
          ios_gateway: '1',
          ios_key_management_type: 'manual',
          ios_key_password: secret,
          ios_key_file: Buffer.from(secret).toString('base64'),
        },
        secretSettings: ['ios_key_password', 'ios_key_file'],
        disabled: false,
      };
      const view = await registry.accounts.configurePlatform(request);
      expect(view.platforms).toEqual([{ platform: 1, enabled: true, configured: true, credentialVersion: 1 }]);
      const credential = await registry.accounts.getCredential({ application, platform: Platform.iOS });
      expect(credential).toMatchObject({ version: 1, settings: { ios_gateway: '1' } });
      expect(Object.keys(credential.sealed).sort()).toEqual(['ios_key_file', 'ios_key_password']);
      const description = await registry.accounts.describeApplication({ application });
      expect(description.settings).toMatchObject({
        ios_gateway: '1',
        ios_key_management_type: 'manual',
        adm_cid: '',
        android_api_type: '',
        ios_key_password: expect.stringMatching(/^x[0-9a-f]{32}$/) as unknown as string,
      });
      expect((await registry.accounts.configurePlatform(request)).platforms[0]?.credentialVersion).toBe(2);
      expect((await registry.accounts.describeApplication({ application })).settings).toEqual(description.settings);
      expect(await registry.accounts.getCredential({ application, platform: 3 })).toMatchObject({ version: 0 });
      await settle();
      const planted = [secret, Buffer.from(secret).toString('base64')];
      for (const collection of await mongo.db.collections()) {
        for await (const raw of collection.find({}, { raw: true })) {
          const bytes = Buffer.from(raw as unknown as Uint8Array);
          for (const text of planted) expect(bytes.includes(text)).toBe(false);
        }
      }
      const logged = lines.join('');
      for (const text of planted) expect(logged).not.toContain(text);
      const records = await published(topicNames.applications, (bytes) => Buffer.from(bytes));
      for (const { value } of records) for (const text of planted) expect(value.includes(text)).toBe(false);
    });

    it('count languages of device records', async () => {
      const application = await newApplication();
      const describe = async () => (await registry.accounts.describeApplication({ application })).languages;
      expect(await describe()).toEqual({});
      await apply(
        ...['en', 'en', 'de', undefined].map((language, i) =>
          command(`l${i}`, registration({ language }), { application }),
        ),
      );
      expect(await describe()).toEqual({ en: 2n, de: 1n });
    });

    it('count languages step by step, each with an index', async () => {
      const application = await newApplication();
      const given = ['en', 'en', 'de', undefined, 'fr', 'en', undefined];
      await apply(...given.map((language, i) => command(`s${i}`, registration({ language }), { application })));
      const count = languageCounts(mongo.db);
      const languages: Record<string, number> = {};
      const records: number[] = [];
      for (let after = -1; records.at(-1) !== 0;) {
        const step = await count(application, after, 2);
        for (const [name, found] of step.languages) languages[name] = (languages[name] ?? 0) + found;
        records.push(step.records);
        after = step.last;
      }
      expect(languages).toEqual({ en: 3, de: 1, fr: 1 });
      expect(records).toEqual([2, 2, 2, 1, 0]);
    });
  });

  it('selects for an export over thousands of applications, without a look at devices', async () => {
    const { account } = await registry.accounts.createAccount({ name: 'Many' });
    const codes = await Promise.all(Array.from({ length: 2000 }, () => newApplication(account)));
    const full = codes.slice(0, 3);
    await apply(...full.map((application) => command('d', registration(), { account, application })));
    const segment = { $case: 'expression', value: 'T("City", NOTEQ, "Bonn")' } as const;
    const request = { account, grant: undefined, segment, path: 'filterExpression' };
    const { applications, expression, now } = await registry.segments.select(request);
    expect(new Set(applications.map(({ code }) => code))).toEqual(new Set(codes));
    expect(applications.filter(({ numbers }) => numbers > 0).map(({ code }) => code)).toEqual(
      applications.map(({ code }) => code).filter((code) => full.includes(code)),
    );
    const chosen = await registry.segments.chooseLookup({ application: full[0]!, expression, now });
    expect(chosen).toEqual({ lookup: [] });
  });

  it('purges a deleted application, whoever began, and devices that came late', async () => {
    const application = await newApplication();
    const names = Array.from({ length: 1200 }, (_, i) => `purged-${i}`);
    const registrations = names.map((hwid) => command(hwid, registration({ pushToken: hwid }), { application }));
    await apply(...registrations);
    const live = () => mongo.db.collection('devices').countDocuments({ app: application, status: 1 });
    const applications = mongo.db.collection<{ _id: string; deletedAt?: Date; purgedAt?: Date }>('applications');
    const state = () => applications.findOne({ _id: application });
    expect(await live()).toBe(1200);
    await registry.accounts.deleteApplication({ account: 'default', application });
    expect(await apply(registrations[0]!)).toEqual([argument(DENIED)]);
    await registry.close();
    registry = await open();
    await settle();
    expect(await live()).toBe(0);
    expect((await registry.accounts.findApplication({ application })).application).toBeUndefined();
    expect(await state()).not.toHaveProperty('purgedAt');
    // As a replica would that has not heard of the deletion yet.
    const { deletedAt } = (await state())!;
    await applications.updateOne({ _id: application }, { $unset: { deletedAt: 1 } });
    await apply(command('late', registration(), { application }));
    await applications.updateOne({ _id: application }, { $set: { deletedAt: deletedAt! } });
    await settle();
    expect(await live()).toBe(0);
    clock.advance(10);
    for (let tries = 0; !(await state())?.purgedAt; tries++) {
      expect(tries).toBeLessThan(500);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const text = JSON.stringify(await mongo.db.collection('devices').find({ app: application }).toArray());
    expect(text).not.toContain('purged-');
  });

  it('is one registry on two replicas: numbers, shared tags, counters and tokens', async () => {
    const other = await open();
    try {
      const application = await newApplication();
      const second = await newApplication();
      const commands = Array.from({ length: 120 }, (_, i) => [
        command(`both${i % 60}`, registration({ pushToken: `both-token${i % 20}` }), {
          application: i % 2 ? application : second,
        }),
        command('counted', { $case: 'setTags', value: { tags: { Level: { operation: 'increment', value: 1 } } } }),
      ]).flat();
      await register('counted');
      const replies = await Promise.all(
        [registry, other].map(async ({ devices }) => {
          const answers = [];
          for (let i = 0; i < 8; i++)
            answers.push(await devices.apply({ commands: commands.slice(i * 30, i * 30 + 30) }));
          return answers;
        }),
      );
      expect(
        replies
          .flat()
          .flatMap((reply) => reply.replies)
          .filter(({ fault }) => fault),
      ).toEqual([]);
      await settle();
      expect(await tagsOf('counted')).toMatchObject({ Level: 240 });
      for (const app of [application, second]) {
        const devices = await mongo.db.collection('devices').find({ app }).toArray();
        expect(devices).toHaveLength(30);
        expect(new Set(devices.map(({ seq }) => seq as number)).size).toBe(30);
        const tokens = devices.flatMap(({ token }) => (token === undefined ? [] : [token as string]));
        expect(new Set(tokens).size).toBe(tokens.length);
        expect(tokens).toHaveLength(10);
      }
    } finally {
      await other.close();
    }
  });

  it('goes on where it was, in a new process', async () => {
    await register('restart', { pushToken: 'restart-token' });
    await registry.close();
    registry = await open();
    const before = await commits();
    expect(await register('restart', { pushToken: 'restart-token' })).toEqual(noFault);
    expect(await commits()).toBe(before);
    expect(await setTags('restart', { Level: 1 })).toEqual(noFault);
  });

  it('had no trouble', () => {
    const troubles = lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 40);
    expect(troubles.slice(0, 3).map((line) => line.slice(0, 500))).toEqual([]);
  });
});
