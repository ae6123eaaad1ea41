import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Kind, simulatedPhone, whatsAppReceipts, type WhatsAppStatus } from '@tidings/simulators';
import { funnelFigures, type Parameters, type PlatformWorld } from '@tidings/testing';
import type { MessagesUnderTest } from './testing/messages.ts';

const WHATSAPP = 21;
const APP_SECRET = 'app-secret';

export function whatsAppFeatures(test: MessagesUnderTest): void {
  describe('WhatsApp', () => {
    let world: PlatformWorld;
    let application: string;
    beforeAll(async () => {
      ({ world } = test);
      application = await test.applicationInDebug();
      await world.call('configureApplication', {
        application,
        device_type: WHATSAPP,
        whats_app_phone_number_id: '106540352242922',
        whats_app_access_token: 'EAAJB',
        whats_app_app_secret: APP_SECRET,
        whats_app_verify_token: 'verify',
      });
    });

    const entriesOf = (number: string) =>
      world.simulators.ledger.of('whatsapp').entries({ token: number, limit: Infinity });
    const sentTo = (number: string): Parameters[] =>
      entriesOf(number).map(({ payload }) => {
        const { biz_opaque_callback_data: _, ...body } = JSON.parse(payload!) as Parameters;
        return body;
      });
    const figuresOf = async (code: string) => {
      await world.settle();
      return funnelFigures(await test.funnelOf(code), WHATSAPP, 'OTHER');
    };
    const registered = async (kind: Kind, n: number): Promise<string> => {
      const number = simulatedPhone(kind, n);
      await world.call('registerWhatsappNumber', { application, number });
      return number;
    };
    const report = (numbers: readonly string[], status: WhatsAppStatus, secret = APP_SECRET): Promise<Response> => {
      const body = whatsAppReceipts(numbers.flatMap(entriesOf), status);
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      return fetch(`${world.url}/webhooks/whatsapp/${application}`, {
        method: 'POST',
        body,
        headers: { 'x-hub-signature-256': `sha256=${signature}` },
      });
    };

    it('reaches named contacts, with each outcome, and counts receipts', async () => {
      const kinds = ['accepted', 'accepted', 'dead', 'payloadRefused'] as const;
      const numbers = await Promise.all(kinds.map((kind, i) => registered(kind, 10 + i)));
      const to = numbers.map((number) => `whatsapp:${number}`);
      const code = await test.sendOne(application, { content: 'Hello {{Name|Regular|friend}}', to });
      expect(await figuresOf(code)).toMatchObject({
        audience: 4,
        eligible: 4,
        sent: 2,
        errors: { INVALID_TOKEN: 1, INVALID_CONTENT: 1 },
      });
      expect(sentTo(numbers[0]!)).toEqual([
        {
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          to: numbers[0],
          type: 'text',
          text: { body: 'Hello friend' },
        },
      ]);

      expect((await report(numbers.slice(0, 1), 'delivered', 'other')).status).toBe(403);
      for (const status of ['sent', 'failed'] as const)
        expect((await report(numbers.slice(0, 2), status)).status).toBe(200);
      expect(await figuresOf(code)).toMatchObject({ confirmed: 0 });
      for (let i = 0; i < 2; i++) expect((await report(numbers.slice(0, 1), 'delivered')).status).toBe(200);
      expect(await figuresOf(code)).toMatchObject({ confirmed: 1 });
      expect((await report(numbers.slice(1, 2), 'read')).status).toBe(200);
      expect(await figuresOf(code)).toMatchObject({ confirmed: 2 });
      expect(await test.brokenBy(application, code)).toEqual([]);
    });

    it('receives templates and texts by notify, beside the pushes of other platforms', async () => {
      const number = await registered('accepted', 20);
      const notify = (more: Parameters) =>
        world.call('notify', {
          transactional: { application, hwids: { list: [`whatsapp:${number}`] }, ...more },
        });
      await notify({
        whatsapp: {
          content_id: 'order',
          language: 'de',
          content_variables: '{"1":"Anna"}',
          button_url_variables: '{"0":"17"}',
          header_variables: '{"image":"https://example.com/1.png"}',
        },
      });
      await world.settle();
      const payload = { content: { localized_content: { default: { default: { body: 'Push' } } } } };
      await notify({ payload, whatsapp: { content: 'Text' } });
      await notify({ payload });
      await world.settle();
      expect(sentTo(number)).toMatchObject([
        {
          template: {
            name: 'order',
            language: { code: 'de' },
            components: [{ type: 'header' }, { type: 'body' }, { type: 'button' }],
          },
        },
        { text: { body: 'Text' } },
      ]);
    });
  });
}
