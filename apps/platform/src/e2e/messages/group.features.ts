import { beforeAll, describe, expect, it } from '@jest/globals';
import { Platform } from '@tidings/kernel';
import { apnsToken, fcmToken } from '@tidings/simulators';
import { clientWith, funnelFigures, listedMessage, type Parameters, type PlatformWorld } from '@tidings/testing';
import { ANDROID, android, CODE, IOS, ios, type MessagesUnderTest } from './testing/messages.ts';

export function groupFeatures(test: MessagesUnderTest): void {
  const { register, funnelOf, brokenBy, pushesTo } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  const newGroup = async () => {
    const [first, second] = [await world.application(), await world.application()];
    const from = Math.floor(Math.random() * 1e9);
    const [phone, tablet, other] = [
      apnsToken('accepted', from),
      fcmToken('accepted', from),
      fcmToken('accepted', from + 1),
    ];
    await register(first, 'phone', ios(phone));
    await register(first, 'tablet', android(tablet));
    await register(second, 'other', android(other));
    const { code: group } = await world.call('createGroup', { name: 'Both', applications: [first, second] });
    return {
      first,
      second,
      group,
      pushes: () =>
        [pushesTo('apns', phone), pushesTo('fcm', tablet), pushesTo('fcm', other)].map(({ length }) => length),
    };
  };
  const send = async (group: string, notification: Parameters): Promise<string> => {
    const request = { applications_group: group, notifications: [notification] };
    return (await world.call('createMessage', request)).Messages[0]!;
  };
  const refusal = async (request: Parameters, client = world.client): Promise<unknown> => {
    const { status, body } = await client.reply('createMessage', { notifications: [{ content: 'x' }], ...request });
    return [status, (body as { status_message: string }).status_message];
  };

  describe('a message to a group of applications', () => {
    it('is one message with one code, listed under each application, and reaches the devices of all', async () => {
      const { first, second, group, pushes } = await newGroup();
      const code = await send(group.toLowerCase(), { content: 'to all' });
      expect(code).toMatch(CODE);
      await world.settle();
      expect(pushes()).toEqual([1, 1, 1]);
      for (const application of [first, second]) {
        expect(await listedMessage(world, application, code)).toMatchObject({ code, status: 'DONE' });
        expect(await brokenBy(application, code)).toEqual([]);
      }
      const funnel = await funnelOf(code);
      expect(funnelFigures(funnel, IOS)).toMatchObject({ eligible: 1, sent: 1 });
      expect(funnelFigures(funnel, ANDROID)).toMatchObject({ eligible: 2, sent: 2 });
    });

    it('accepts segments and campaigns of any of its applications, and presets of the group', async () => {
      const { first, second, group, pushes } = await newGroup();
      const name = `Only the second ${second}`;
      await world.call('createFilter', { name, application: second, filter_expression: `A("${second}")` });
      const { campaign } = await world.call('createCampaign', { application: second, name: 'c' });
      const content = { message: 'of the preset' };
      const preset = async (owner: Parameters): Promise<string> => {
        await world.call('createPreset', { ...owner, name: 'p', content, segmentation: { platforms: [ANDROID] } });
        return (await world.call('listPresets', { application: first })).presets.at(-1)!.code;
      };
      const ofGroup = await preset({ applicationGroupCode: group });
      await send(group, { content: 'x', filter: name, campaign, campaign_name: null });
      await world.settle();
      expect(pushes()).toEqual([0, 0, 1]);
      await send(group, { preset: ofGroup, campaign_name: 'Named' });
      await world.settle();
      expect(pushes()).toEqual([0, 1, 2]);
      const { campaigns } = await world.call('getCampaigns', { application: first });
      expect(campaigns).toMatchObject([{ name: 'Named' }]);
      const ofFirst = await preset({ applicationCode: first });
      expect(await refusal({ applications_group: group, notifications: [{ preset: ofFirst }] })).toEqual([
        ...[200, 'notifications[0].preset: not found'],
      ]);
    });

    it('reaches the contacts in `to` of every application', async () => {
      const { first, second, group } = await newGroup();
      for (const application of [first, second]) {
        await world.call('registerEmail', { application, email: 'both@example.com' });
      }
      const number = '+491517002000';
      await world.call('registerDevice', { application: second, hwid: number, device_type: Platform.Sms });
      const nobody = Array.from({ length: 8 }, (_, i) => `nobody-${i}`);
      const notification = { content: 'x', to: ['Both@Example.com', number, 'phone', ...nobody] };
      const request = { applications_group: group, notifications: [notification] };
      const { Messages, UnknownDevices } = await world.call('createMessage', request);
      const code = Messages[0]!;
      expect(UnknownDevices).toEqual({ [code]: ['phone', ...nobody] });
      await world.settle();
      for (const application of [first, second]) {
        expect(await listedMessage(world, application, code)).toMatchObject({ status: 'DONE' });
      }
      const funnel = await funnelOf(code);
      expect(funnelFigures(funnel, undefined, 'EMAIL')).toMatchObject({ audience: 2, failed: 2 });
      expect(funnelFigures(funnel, undefined, 'OTHER')).toMatchObject({ audience: 1, failed: 1 });
    });

    it('continues for the others when one of the applications is deleted', async () => {
      const { first, second, group, pushes } = await newGroup();
      const { now } = await world.call('advanceClock', { advance_seconds: 0 });
      const inAnHour = new Date(Date.parse(now) + 3_600_000).toISOString().slice(0, 19);
      const code = await send(group, { content: 'later', send_date: inAnHour });
      await world.settle();
      expect((await listedMessage(world, first, code))?.status).toBe('PENDING');
      await world.call('deleteApplication', { application: first });
      await world.settle();
      await world.advance(3601);
      await world.settle();
      expect(pushes()).toEqual([0, 0, 1]);
      expect(await listedMessage(world, second, code)).toMatchObject({ status: 'DONE' });
      expect(funnelFigures(await funnelOf(code), ANDROID)).toMatchObject({ eligible: 1, sent: 1 });
      await send(group, { content: 'to the second' });
      await world.settle();
      expect(pushes()).toEqual([0, 0, 2]);
    });

    it('is refused with listed recipients, and to tokens that may not use all its applications', async () => {
      const { first, group, pushes } = await newGroup();
      const denied = 'Access denied or application not found';
      const listed = (field: string) => ({
        applications_group: group,
        notifications: [{ content: 'x', [field]: ['phone'] }],
      });
      for (const field of ['devices', 'users']) {
        expect(await refusal(listed(field))).toEqual([200, `${field} must not be used with applications_group`]);
      }
      for (const unknown of ['00000-00000', first, '', 'x'.repeat(300)]) {
        expect(await refusal({ applications_group: unknown })).toEqual([200, denied]);
      }
      const { account } = await world.call('createAccount', { name: 'Other' });
      const restricted = await clientWith(world, { applications: [first] });
      const stranger = await clientWith(world, { applications: 'all', account });
      try {
        expect(await refusal({ applications_group: group }, restricted)).toEqual([
          ...[403, 'Token restrictions forbid this operation'],
        ]);
        expect(await refusal({ applications_group: group }, stranger)).toEqual([200, denied]);
      } finally {
        restricted.close();
        stranger.close();
      }
      await world.settle();
      expect(pushes()).toEqual([0, 0, 0]);
    });
  });
}
