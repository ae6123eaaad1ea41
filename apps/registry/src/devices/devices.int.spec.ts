import { describe, expect, it } from '@jest/globals';
import { hwidCheckOf } from '@tidings/audience';
import { TagType, topicNames } from '@tidings/events';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { Platform } from '@tidings/kernel';
import type { Register } from '@tidings/rpc';
import { describeWithMongo } from '@tidings/testing';
import { DENIED, noFault, argument, RegistryUnderTest } from '../testing/registry-under-test.ts';

describeWithMongo('the registry', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const { newApplication, command, registration, apply, register, setTags, tagsOf, stored, commits, published } = test;

  it('removes the position of a device that reports none (R-C13)', async () => {
    await register('walker');
    const where = { account: 'default', application: test.app, hwid: 'walker', nearest: 1, idempotencyKey: '' };
    const report = (lat?: number, lng?: number) => test.registry.geozones.report({ ...where, lat, lng });
    await report(52.5, 13.4);
    expect((await stored('walker'))['self']).toMatchObject({ place: { lat: 52.5, lng: 13.4 } });
    expect(await report()).toEqual({ nearest: [] });
    expect((await stored('walker'))['self']).not.toHaveProperty('place');
    await expect(test.registry.geozones.report({ ...where, hwid: 'nobody' })).rejects.toThrow('Device not found');
    // A repeat with the key of the removal changes nothing (R-ER11).
    const removal = { ...where, idempotencyKey: 'removal' };
    await test.registry.geozones.report(removal);
    await report(52.5, 13.4);
    expect(await test.registry.geozones.report(removal)).toEqual({ nearest: [] });
    expect((await stored('walker'))['self']).toMatchObject({ place: { lat: 52.5, lng: 13.4 } });
  });

  it('keeps a position that is newer than a report which arrives late', async () => {
    await register('runner');
    const where = { account: 'default', application: test.app, hwid: 'runner', nearest: 1, idempotencyKey: '' };
    const report = (lat?: number, lng?: number) => test.registry.geozones.report({ ...where, lat, lng });
    await report(52.5, 13.4);
    const later = { $set: { 'self.place.at': test.clock.now() + 1 } };
    await mongo.db.collection('devices').updateOne({ app: test.app, hwid: 'runner' }, later);
    expect(await report(48.1, 11.6)).toEqual({ nearest: [] });
    expect(await report()).toEqual({ nearest: [] });
    expect((await stored('runner'))['self']).toMatchObject({ place: { lat: 52.5, lng: 13.4 } });
    test.clock.advance(1);
    await report(48.1, 11.6);
    expect((await stored('runner'))['self']).toMatchObject({ place: { lat: 48.1, lng: 11.6 } });
  });

  it('stores the position of a contact under any spelling of its hwid (R-C2, R-E1)', async () => {
    await register('+4915112345678', { platform: Platform.Sms });
    const spelled = { account: 'default', application: test.app, hwid: '+49 (1511) 2345678' };
    await test.registry.geozones.report({ ...spelled, lat: 52.5, lng: 13.4, nearest: 1, idempotencyKey: '' });
    expect((await stored('+4915112345678'))['self']).toMatchObject({ place: { lat: 52.5, lng: 13.4 } });
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
        app: test.app,
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

    it('commit nothing when they are registered again unchanged, and record the token as self-reported', async () => {
      await register('same', { pushToken: 'same-token', language: 'en' });
      const before = await commits();
      test.clock.advance(60);
      expect(await register('same', { pushToken: 'same-token', language: 'en' })).toEqual(noFault);
      expect(await commits()).toBe(before);
      expect((await stored('same'))['self']).toEqual({ tokenAt: test.clock.now() });
    });

    it('get unique numbers in order, also when registered concurrently', async () => {
      const application = await newApplication();
      const hwids = Array.from({ length: 300 }, (_, i) => `n${i}`);
      const replies = await apply(...hwids.map((hwid) => command(hwid, registration(), { application })));
      expect(replies.every(({ fault }) => fault === undefined)).toBe(true);
      const { locations } = await test.registry.devices.locate({
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
    ])('are refused with the hwid %j and %j: %s', async (hwid, more, text) =>
      expect(await register(hwid, more)).toEqual(argument(text)),
    );

    it('have the address as token if their hwid is an address', async () => {
      await register('+491712345678', { platform: 18 });
      await register('whatsapp:+491712345678', { platform: 21, pushToken: 'ignored' });
      await register('Some@Example.com', { platform: 14 });
      expect((await stored('+491712345678'))['token']).toBe('+491712345678');
      expect((await stored('whatsapp:+491712345678'))['token']).toBe('whatsapp:+491712345678');
      expect((await stored('some@example.com'))['token']).toBe('some@example.com');
    });

    it('accept the longest hwid, token, user and tags', async () => {
      const hwid = '😀'.repeat(255);
      const pushToken = '€'.repeat(65_536);
      await test.registry.tags.addTag({
        account: '',
        name: '😀'.repeat(255),
        type: TagType.TAG_TYPE_STRING,
        applicationSpecific: true,
      });
      await test.registry.tags.addTag({
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
      expect((await test.named({ $case: 'devices', value: { names: [pushToken] } })).unknown).toEqual([]);
      expect(await register(hwid, { pushToken: 'x'.repeat(65_537) })).toEqual(
        argument('push_token: at most 65536 characters'),
      );
    });

    it('count as unknown in another account, and in unknown applications', async () => {
      const { account } = await test.registry.accounts.createAccount({ name: 'Other' });
      const foreign = await newApplication(account);
      await register('mine', {}, { account, application: foreign });
      expect(await register('d', {}, { application: foreign })).toEqual(argument(DENIED));
      expect(await register('d', {}, { application: 'FFFFF-FFFFF' })).toEqual(argument(DENIED));
      expect(await setTags('mine', {}, { application: foreign })).toEqual(argument(DENIED));
      expect(await setTags('', {}, { application: foreign, userId: 'anna' })).toEqual(argument(DENIED));
      const request = { account: 'default', application: foreign };
      await expect(test.registry.devices.getTags({ ...request, hwid: 'mine', userId: '' })).rejects.toThrow(DENIED);
      await expect(
        test.registry.audiences.resolve({
          account: 'default',
          applications: [foreign],
          grant: undefined,
          audiences: [],
        }),
      ).rejects.toThrow(DENIED);
      expect((await test.registry.devices.locate({ ...request, hwids: ['mine'] })).locations[0]?.found).toBe(false);
      const own = await test.registry.devices.locate({ account, application: foreign, hwids: ['mine'] });
      expect(own.locations[0]?.found).toBe(true);
      const described = await test.registry.devices.describe({
        ...request,
        seqs: [own.locations[0]!.seq],
        tags: [],
        plans: [],
      });
      expect(described.devices).toMatchObject([{ found: false, hwid: '' }]);
    });

    it('are selected by tags of up to 20 other applications (R-O5)', async () => {
      const own = await newApplication();
      const others: string[] = [];
      for (let i = 0; i < 21; i++) others.push(await newApplication());
      const type = TagType.TAG_TYPE_STRING;
      await test.registry.tags.addTag({ account: '', name: 'Branch', type, applicationSpecific: true });
      const resolved = async (applications: readonly string[], bySiblings: boolean) => {
        const source = applications.map((code) => `AT("${code}", "Branch", EQ, "x")`).join(' + ');
        const recipients = { $case: 'expression', value: source } as const;
        return test.resolve({ recipients, bySiblings }, { applications: [own] });
      };
      const selection = (bySiblings: boolean) => ({
        value: { audience: { target: { $case: 'selection', value: { bySiblings } } } },
      });
      expect(await resolved([own, ...others.slice(1)], true)).toMatchObject(selection(true));
      expect(await resolved([own], true)).toMatchObject(selection(false));
      expect(await resolved(others, false)).toMatchObject(selection(false));
      expect(await resolved(others, true)).toMatchObject({
        value: { reason: 'tooManyApplications', field: 'selection' },
      });
    });

    it('are described by number, with the values for placeholders', async () => {
      const application = await newApplication();
      const type = TagType.TAG_TYPE_LIST;
      await test.registry.tags.addTag({ account: '', name: 'Described', type, applicationSpecific: false });
      await register('first', { pushToken: 'first-token', language: 'de', userId: 'anna' }, { application });
      await register('second', {}, { application });
      await setTags('first', { Described: ['a', 'b'], 'Push Alerts Enabled': false }, { application });
      const names = ['Described', 'Push Alerts Enabled', 'Language', 'No Tag'];
      const { devices } = await test.registry.devices.describe({
        account: 'default',
        application,
        seqs: [1, 7, 0],
        tags: names,
        plans: [],
      });
      expect(devices).toMatchObject([
        { found: true, hwid: 'second', userId: 'second', language: '', token: '', values: ['', '', '', ''] },
        { found: false },
        { hwid: 'first', userId: 'anna', language: 'de', token: 'first-token', values: ['a, b', 'false', 'de', ''] },
      ]);
      const hwidHash = (await stored('first', application))['hwidHash'] as string;
      expect(devices[2]!.check).toBe(hwidCheckOf(hwidHash));
    });

    it('are published on tidings.devices, by application and hwid', async () => {
      const change = async () => {
        await register('told', { pushToken: 'told-token', language: 'fr' });
        await setTags('told', { Language: 'it' });
      };
      const records = await published(topicNames.devices, (bytes) => DeviceEvent.decode(bytes), change);
      const events = records.filter(({ key }) => key === `${test.app}/told`);
      expect(events.map(({ value }) => value.event?.$case)).toEqual(['registered', 'tagsChanged']);
      expect(events[0]?.value.stamp).toMatchObject({
        log: expect.stringMatching(/^devices-\d+$/) as unknown,
        index: 0,
      });
    });
  });

  test.expectNoWarnings();
});
