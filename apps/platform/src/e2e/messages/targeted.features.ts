import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@tidings/client';
import { fcmToken } from '@tidings/simulators';
import { clientWith, funnelFigures, listedMessage, type Parameters, type PlatformWorld } from '@tidings/testing';
import { ANDROID, android, CODE, type MessagesUnderTest } from './testing/messages.ts';

/** Messages to the devices of an expression (R-I28). */
export function targetedFeatures(test: MessagesUnderTest): void {
  const { register, funnelOf, brokenBy, pushesTo } = test;
  let world: PlatformWorld;
  let first: string;
  let second: string;
  let restricted: ApiClient;
  let stranger: ApiClient;
  const tokens = Array.from({ length: 4 }, (_, i) => fcmToken('accepted', 31_000 + i));

  beforeAll(async () => {
    ({ world } = test);
    [first, second] = [await world.application({ title: 'First' }), await world.application({ title: 'Second' })];
    for (const [i, token] of tokens.entries()) {
      const application = i < 2 ? first : second;
      await register(application, `t-${i}`, { ...android(token), tags: { Level: i % 2 } });
    }
    const { account } = await world.call('createAccount', { name: 'Other' });
    restricted = await clientWith(world, { applications: [first] });
    stranger = await clientWith(world, { applications: 'all', account });
  });

  const pushes = (): number[] => tokens.map((token) => pushesTo('fcm', token).length);
  const refusal = async (request: Parameters, client = world.client): Promise<unknown> => {
    const { status, body } = await client.reply('createTargetedMessage', { content: 'x', ...request });
    const { status_message: text, response } = body as { status_message: string; response: unknown };
    expect(response).toBeNull();
    return [status, text];
  };

  describe('a message to the devices of an expression', () => {
    it('is one message with one code, listed under each application that the expression names', async () => {
      const devices_filter = `(A("${first}") + A("${second.toLowerCase()}")) * T("Level", GTE, 1)`;
      const { messageCode: code } = await world.call('createTargetedMessage', { devices_filter, content: 'to levels' });
      expect(code).toMatch(CODE);
      await world.settle();
      expect(pushes()).toEqual([0, 1, 0, 1]);
      for (const application of [first, second]) {
        expect(await listedMessage(world, application, code)).toMatchObject({ code, status: 'DONE', source: 'API' });
        expect(await brokenBy(application, code)).toEqual([]);
      }
      expect(funnelFigures(await funnelOf(code), ANDROID)).toMatchObject({ eligible: 2, sent: 2 });
    });

    it('takes the fields of a notification, and repeats no transactionId', async () => {
      const request = {
        devices_filter: `AT("${first}", "Level", EQ, 0)`,
        android_header: 'Title',
        campaign_name: 'Targeted',
        transactionId: 'targeted',
        platforms: [ANDROID],
      };
      const { messageCode } = await world.call('createTargetedMessage', { content: 'a', ...request });
      expect(await world.call('createTargetedMessage', { content: 'b', ...request })).toEqual({ messageCode });
      await world.settle();
      expect(pushes()).toEqual([1, 1, 0, 1]);
      const { campaigns } = await world.call('getCampaigns', { application: first });
      expect(campaigns).toMatchObject([{ name: 'Targeted' }]);
      expect(await listedMessage(world, second, messageCode)).toBeUndefined();
    });

    it('is refused with a reason, and then reaches no device', async () => {
      const before = pushes();
      const devices_filter = `A("${first}")`;
      const refusals: readonly (readonly [Parameters, string])[] = [
        [{ devices_filter: 'T("Level", GTE, 1)' }, 'devices_filter: an application condition is required'],
        [{ devices_filter: 'A("' }, 'devices_filter: text without an end at position 2'],
        [{ devices_filter: `${devices_filter} * T("Nix", EQ, 1)` }, 'devices_filter: unknown tag "Nix"'],
        [
          { devices_filter: `${devices_filter} * T("Level", EQ, "x")` },
          'devices_filter: wrong operand for Integer tag',
        ],
        [{ devices_filter: 'A("00000-00000")' }, 'Access denied or application not found'],
        [{ devices_filter, preset: '00000-00000' }, 'preset: not found'],
        [{ devices_filter, campaign: '00000-00000' }, 'campaign: not found'],
        [{ devices_filter, send_date: '2999-01-01 10:00' }, 'send_date: must be "now" or YYYY-MM-DD HH:mm'],
        [{ devices_filter, content: null }, 'content: must be set'],
        [{ devices_filter, platforms: [99] }, 'platforms: unknown value'],
      ];
      for (const [request, text] of refusals) expect(await refusal(request)).toEqual([200, text]);
      for (const field of ['devices', 'users', 'to', 'filter', 'filter_code', 'conditions']) {
        expect(await refusal({ devices_filter, [field]: ['t-0'] })).toEqual([
          ...[200, `${field}: must not be used with devices_filter`],
        ]);
      }
      for (const absent of [undefined, null]) {
        expect(await refusal({ devices_filter: absent })).toEqual([400, 'Missing required argument: devices_filter']);
      }
      const both = `A("${first}") + A("${second}")`;
      expect(await refusal({ devices_filter: both }, restricted)).toEqual([
        ...[403, 'Token restrictions forbid this operation'],
      ]);
      expect(await refusal({ devices_filter: both }, stranger)).toEqual([
        200,
        'Access denied or application not found',
      ]);
      await world.settle();
      expect(pushes()).toEqual(before);
      restricted.close();
      stranger.close();
    });
  });
}
