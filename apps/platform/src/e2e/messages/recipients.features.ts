import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseStatisticsHash } from '@tidings/messaging';
import { apnsToken, fcmToken } from '@tidings/simulators';
import { funnelFigures, listedMessage, type PlatformWorld } from '@tidings/testing';
import { IOS, ANDROID, SMS, CHROME, CODE, HIDDEN, android, ios, type MessagesUnderTest } from './testing/messages.ts';

export function recipientFeatures(test: MessagesUnderTest): void {
  const { send, sendOne, funnelOf, brokenBy, pushesTo } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  describe('named recipients', () => {
    let application: string;
    const token = (i: number): string => fcmToken('accepted', 6000 + i);
    const appleToken = (i: number): string => apnsToken('accepted', 6000 + i);
    const isApple = (i: number): boolean => i >= 12;
    const hwids = Array.from({ length: 16 }, (_, i) => `n-${i}`);
    const pushes = (i: number): number =>
      isApple(i) ? pushesTo('apns', appleToken(i)).length : pushesTo('fcm', token(i)).length;

    beforeAll(async () => {
      application = await world.application();
      await world.registerDevices(application, hwids.length, (i) => ({
        hwid: hwids[i],
        ...(isApple(i) ? ios(appleToken(i).toUpperCase()) : android(token(i))),
        ...(i < 3 ? { userId: 'anna' } : i === 3 || i === 13 ? { userId: 'boris' } : {}),
      }));
    });

    const listed = async (): Promise<string[]> =>
      (await world.call('messagesList', { filters: { application } })).items.map(({ code }) => code);

    it('receive their message below ten, but its code is hidden and no data are kept', async () => {
      const before = await listed();
      const { Messages: messages, ...rest } = await send(application, { content: 'few', devices: hwids.slice(0, 9) });
      expect([messages, rest]).toEqual([[HIDDEN], {}]);
      await world.settle();
      expect(hwids.slice(0, 10).map((_, i) => pushes(i))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 0]);
      expect(await listed()).toEqual(before);
      expect((await world.reply('getDeliveryFunnel', { message_code: HIDDEN })).status).toBe(404);
      const { hash } = world.simulators.ledger.of('fcm').entries({ token: token(0) })[0]!;
      await world.call('pushStat', { application, hwid: hwids[0], hash });
      await world.settle();
      const real = parseStatisticsHash(hash)!.code;
      expect(real).toMatch(CODE);
      expect((await world.reply('getDeliveryFunnel', { message_code: real })).status).toBe(404);
      expect(await listedMessage(world, application, real)).toBeUndefined();
    });

    it('are contacts by hwid in `to`, and fail if their platform is not configured', async () => {
      const contacts = ['To@Example.com', '+49 151 700 1000'];
      await world.call('registerEmail', { application, email: 'to@example.com' });
      await world.call('registerDevice', { application, hwid: '+491517001000', device_type: SMS });
      const before = pushes(0);
      const few = await send(application, { content: 'to', to: [...contacts, hwids[0], 'nobody'] });
      expect(few).toEqual({ Messages: [HIDDEN], UnknownDevices: { [HIDDEN]: [hwids[0], 'nobody'] } });
      await world.settle();
      expect(pushes(0)).toBe(before);
      const nobody = Array.from({ length: 8 }, (_, i) => `nobody-${i}`);
      const code = await sendOne(application, { content: 'to', to: [...contacts, ...nobody] });
      const same = await sendOne(application, { content: 'devices', devices: [...contacts, ...nobody] });
      await world.settle();
      const figures = async (of: string) => {
        const funnel = await funnelOf(of);
        return ['EMAIL', 'OTHER'].map((channel) => funnelFigures(funnel, undefined, channel));
      };
      const failed = { audience: 1, eligible: 1, sent: 0, failed: 1, errors: { PLATFORM_DISABLED: 1 } };
      expect(await figures(code)).toMatchObject([failed, failed]);
      expect(await figures(same)).toEqual(await figures(code));
      expect(await brokenBy(application, code)).toEqual([]);
      const restricted = await sendOne(application, { content: 'to', to: [...contacts, ...nobody], platforms: [IOS] });
      await world.settle();
      expect(await figures(restricted)).toMatchObject([{ audience: 0 }, { audience: 0 }]);
    });

    it('are a message like any other from ten on', async () => {
      const code = await sendOne(application, { content: 'ten', devices: hwids.slice(0, 10) });
      expect(code).toMatch(CODE);
      await world.settle();
      expect(await listedMessage(world, application, code)).toMatchObject({ status: 'DONE' });
      expect(funnelFigures(await funnelOf(code))).toMatchObject({ audience: 10, sent: 10 });
    });

    it('are counted once, however often they are named', async () => {
      const before = pushes(0);
      const twelve = [...hwids.slice(0, 9), hwids[0]!, hwids[1]!, hwids[2]!];
      expect(await sendOne(application, { content: 'x', devices: twelve })).toBe(HIDDEN);
      await world.settle();
      expect(pushes(0)).toBe(before + 1);
    });

    it('have a code in debug mode, for an hour', async () => {
      await world.call('setDebug', { code: application });
      const code = await sendOne(application, { content: 'x', devices: [hwids[0]!] });
      expect(code).toMatch(CODE);
      await world.settle();
      expect(await listed()).toContain(code);
      await world.advance(3601);
      expect(await sendOne(application, { content: 'x', devices: [hwids[0]!] })).toBe(HIDDEN);
      await world.call('setDebug', { code: application });
      const { debug_until } = await world.call('setDebug', { code: application, on: false });
      expect(debug_until).toBeNull();
      expect(await sendOne(application, { content: 'x', devices: [hwids[0]!] })).toBe(HIDDEN);
      await world.settle();
    });

    it('are listed in the reply if they are unknown', async () => {
      const unknown = { ...(await send(application, { content: 'x', devices: [hwids[0]!, 'foo', 'bar', 'foo'] })) };
      expect(unknown).toEqual({ Messages: [HIDDEN], UnknownDevices: { [HIDDEN]: ['foo', 'bar'] } });
      const many = await send(application, { content: 'x', devices: [...hwids, 'foo'] });
      expect(many).toEqual({ Messages: many.Messages, UnknownDevices: { [many.Messages[0]!]: ['foo'] } });
      expect(many.Messages[0]).toMatch(CODE);
      const nobody = await send(application, {
        content: 'x',
        devices: Array.from({ length: 10 }, (_, i) => `who-${i}`),
      });
      await world.settle();
      expect(await listedMessage(world, application, nobody.Messages[0]!)).toMatchObject({ status: 'DONE' });
      expect((await funnelOf(nobody.Messages[0]!)).funnel_state).toBe('FUNNEL_STATE_NO_EVENTS');
    });

    it('may be named by their tokens, case-insensitively on iOS only', async () => {
      const before = [pushes(12), pushes(5)];
      const reply = await send(application, {
        content: 'x',
        devices: [appleToken(12).toUpperCase(), token(5), token(6).toUpperCase()],
      });
      expect(reply).toEqual({ Messages: [HIDDEN], UnknownDevices: { [HIDDEN]: [token(6).toUpperCase()] } });
      await world.settle();
      expect([pushes(12), pushes(5)]).toEqual(before.map((n) => n + 1));
    });

    it('are reached on the platforms that the message names, from ten entries on', async () => {
      const few = { content: 'x', devices: [hwids[0]!, hwids[13]!], platforms: [99] };
      const before = [pushes(0), pushes(13)];
      expect(await sendOne(application, few)).toBe(HIDDEN);
      await world.settle();
      expect([pushes(0), pushes(13)]).toEqual(before.map((n) => n + 1));
      const code = await sendOne(application, { content: 'x', devices: hwids, platforms: [IOS] });
      await world.settle();
      expect(funnelFigures(await funnelOf(code))).toMatchObject({ audience: 4, sent: 4 });
      expect(funnelFigures(await funnelOf(code), ANDROID).audience).toBe(0);
    });

    it('are listed under the platforms that they have (R-RES22)', async () => {
      const under = async (...platforms: string[]): Promise<string[]> =>
        (await world.call('messagesList', { filters: { application, platforms } })).items.map(({ code }) => code);
      const phones = Array.from({ length: 10 }, (_, i) => `listed-${i}`);
      for (const hwid of phones) await world.call('registerDevice', { application, hwid, device_type: ANDROID });
      const code = await sendOne(application, { content: 'x', devices: phones });
      expect((await listedMessage(world, application, code))?.platforms).toEqual(['ANDROID']);
      expect(await under('ANDROID')).toContain(code);
      for (const platform of ['IOS', 'EMAIL']) expect(await under(platform)).not.toContain(code);
      expect(await under('EMAIL', 'SMS')).not.toContain(code);
    });

    it('may be users, with all their devices', async () => {
      const before = hwids.map((_, i) => pushes(i));
      const notification = { content: 'x', users: ['anna', 'boris', 'nobody', hwids[9]!], devices: [hwids[5]!] };
      expect(await send(application, notification)).toEqual({ Messages: [HIDDEN] });
      await world.settle();
      const got = hwids.filter((_, i) => pushes(i) > before[i]!);
      expect(got).toEqual([0, 1, 2, 3, 9, 13].map((i) => hwids[i]));
    });

    it('may be users on some platforms', async () => {
      const before = [pushes(3), pushes(13)];
      await send(application, { content: 'x', users: ['boris'], platforms: [IOS] });
      await world.settle();
      expect([pushes(3), pushes(13)]).toEqual([before[0], before[1]! + 1]);
    });

    it('fail if they have no token', async () => {
      await world.call('unregisterDevice', { application, hwid: hwids[11] });
      const code = await sendOne(application, { content: 'x', devices: hwids.slice(2, 12) });
      await world.settle();
      expect(funnelFigures(await funnelOf(code))).toMatchObject({ audience: 10, sent: 9, errors: { NO_TOKEN: 1 } });
      const all = await sendOne(application, { content: 'x' });
      await world.settle();
      expect(funnelFigures(await funnelOf(all))).toMatchObject({ audience: 15, sent: 15, failed: 0 });
      expect(await brokenBy(application, code)).toEqual([]);
    });

    it('restrict a message to all devices as well', async () => {
      const code = await sendOne(application, { content: 'x', platforms: [ANDROID, CHROME] });
      await world.settle();
      expect(funnelFigures(await funnelOf(code))).toMatchObject({ audience: 11, sent: 11 });
      expect((await listedMessage(world, application, code))?.platforms).toEqual(['ANDROID', 'CHROME']);
    });
  });

  describe('recipients in a geozone (R-I20)', () => {
    const geozone = { lat: 52.5, lng: 13.4, range: 500 };
    let application: string;
    const sentTo = async (notification: object): Promise<number> => {
      const code = await sendOne(application, { content: 'x', ...notification });
      await world.settle();
      return funnelFigures(await funnelOf(code)).sent;
    };

    beforeAll(async () => {
      application = await world.application();
      const places = [52.5, 52.504, 52.505, undefined];
      for (const [i, lat] of places.entries()) {
        const hwid = `walker-${i}`;
        const gold = i % 2 === 0 ? { tags: { Plan: 'gold' } } : {};
        await test.register(application, hwid, { ...android(fcmToken('accepted', 9100 + i)), ...gold });
        if (lat !== undefined) await world.call('getNearestZone', { application, hwid, lat, lng: 13.4 });
      }
    });

    it('are those whose last location is in it, and whom the conditions select', async () => {
      expect(await sentTo({ geozone })).toBe(2);
      expect(await sentTo({ geozone: { ...geozone, range: 1000 } })).toBe(3);
      expect(await sentTo({ geozone, conditions: [['Plan', 'EQ', 'gold']] })).toBe(1);
      expect(await sentTo({ geozone: { ...geozone, lat: '0' } })).toBe(0);
    });

    it('are ignored beside a list', async () => {
      const devices = Array.from({ length: 10 }, (_, i) => `walker-${i % 4}`).concat(
        Array.from({ length: 10 }, (_, i) => `unknown-${i}`),
      );
      expect(await sentTo({ geozone: { ...geozone, lat: 0 }, devices })).toBe(4);
    });
  });
}
