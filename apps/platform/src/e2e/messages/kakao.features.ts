import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Kind, simulatedPhone } from '@tidings/simulators';
import { funnelFigures, type Parameters, type PlatformWorld } from '@tidings/testing';
import type { MessagesUnderTest } from './testing/messages.ts';

const KAKAO = 22;

export function kakaoFeatures(test: MessagesUnderTest): void {
  describe('Kakao', () => {
    let world: PlatformWorld;
    let application: string;
    beforeAll(async () => {
      ({ world } = test);
      application = await test.applicationInDebug();
      await world.call('configureApplication', {
        application,
        device_type: KAKAO,
        kakao_sender_key: 'sender',
        kakao_app_key: 'app',
        kakao_secret_key: 'secret',
      });
    });

    const numberOf = (kind: Kind, n: number): string => simulatedPhone(kind, n).slice(1);
    const sentTo = (number: string): Parameters[] =>
      world.simulators.ledger
        .of('kakao')
        .entries({ token: number, limit: Infinity })
        .map(({ payload }) => {
          const { recipientList, ...request } = JSON.parse(payload!) as Parameters;
          const [{ recipientGroupingKey: _, ...recipient }] = recipientList as [Parameters];
          return { ...request, ...recipient };
        });
    const figuresOf = async (code: string) => {
      await world.settle();
      return funnelFigures(await test.funnelOf(code), KAKAO, 'OTHER');
    };

    it('registers contacts and reaches them with each outcome, and users on their contact', async () => {
      const numbers = (['accepted', 'dead', 'payloadRefused', 'badToken'] as const).map((kind, i) =>
        numberOf(kind, 40 + i),
      );
      const { Messages } = await world.call('createKakaoMessage', {
        application,
        notifications: [
          {
            send_date: 'now',
            devices: numbers.map((number) => `kakao:${number}`),
            template: 'order',
            kakao_content_variables: { name: '{{who}}' },
            dynamic_content_placeholders: { who: 'Anna' },
          },
        ],
      });
      expect(await figuresOf(Messages[0]!)).toMatchObject({
        audience: 4,
        eligible: 4,
        sent: 1,
        errors: { INVALID_TOKEN: 1, INVALID_CONTENT: 1, UNCLASSIFIED_ERROR: 1 },
      });
      const [accepted] = numbers;
      const request = { senderKey: 'sender', templateCode: 'order', recipientNo: accepted };
      expect(sentTo(accepted!)).toEqual([{ ...request, templateParameter: { name: 'Anna' } }]);
      expect(await test.brokenBy(application, Messages[0]!)).toEqual([]);

      await world.call('registerUser', { application, hwid: `kakao:${accepted}`, userId: 'kakao-user' });
      await world.call('createKakaoMessage', {
        application,
        notifications: [{ send_date: 'now', users: ['kakao-user'], template: 'welcome' }],
      });
      await world.settle();
      expect(sentTo(accepted!).at(-1)).toEqual({ ...request, templateCode: 'welcome' });
    });

    it('receives values or the whole text by notify', async () => {
      const number = numberOf('accepted', 50);
      await test.register(application, `kakao:${number}`, { device_type: KAKAO });
      const notify = (kakao: Parameters) =>
        world.call('notify', { transactional: { application, hwids: { list: [`kakao:${number}`] }, kakao } });
      await notify({ template: 'order', content_variables: '{"name":"Anna"}' });
      await world.settle();
      await notify({ template: 'order', content: 'Dear Anna' });
      await world.settle();
      expect(sentTo(number)).toMatchObject([
        { templateCode: 'order', templateParameter: { name: 'Anna' } },
        { templateCode: 'order', content: 'Dear Anna' },
      ]);
    });
  });
}
