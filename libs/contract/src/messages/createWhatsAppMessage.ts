import { Platform } from '@tidings/kernel';
import { json13 } from '../families/json13.ts';
import { whatsAppNumber } from '../fields/device.ts';
import { boolean, object, optional } from '../values.ts';
import { channelFields, channelMessage, listOfOne } from './channel-message.ts';
import { notificationsCall } from './notifications.ts';
import { whatsAppContent, whatsAppFields } from './whatsapp.ts';

const notification = object({
  ...channelFields,
  ...whatsAppFields,
  devices: listOfOne(whatsAppNumber, 'WhatsApp number').describe(
    'The number, in a list of its own: `whatsapp:`, `+` and 7 to 15 digits. It must be registered, unless ' +
      '`use_auto_registration` is set.',
  ),
  use_auto_registration: optional(boolean).describe('Whether the number is registered if it is unknown.'),
})
  .refine(({ content, content_id: template, preset }) => (content ?? template ?? preset) !== undefined, {
    path: ['content'],
    error: 'must be set',
  })
  .transform(({ devices, use_auto_registration: registers = false, ...given }) => ({
    message: channelMessage(given, {
      platform: Platform.WhatsApp,
      recipients: { kind: 'contacts', platform: Platform.WhatsApp, names: devices },
      content: { whatsApp: whatsAppContent(given) },
      transactional: true,
    }),
    registers,
  }));

export const createWhatsAppMessage = json13('createWhatsAppMessage', {
  description: 'Sends each notification to one WhatsApp number, as a text or by an approved template.',
  ...notificationsCall(notification),
  examples: [
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        notifications: [
          {
            send_date: 'now',
            content_id: 'order_shipped',
            language: 'en_US',
            devices: ['whatsapp:+4915112345678'],
            use_auto_registration: true,
            content_variables: { 1: 'Anna', 2: '17' },
            button_url_variables: { 0: 'orders/17' },
            header_variables: { image: 'https://example.com/17.png' },
            transactionId: 'order-17',
          },
        ],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F1'] },
    },
    {
      request: {
        application: 'A1B2C-3D4E5',
        notifications: [
          {
            send_date: '2020-01-15 12:00',
            content: 'Your code is {{code}}',
            devices: ['+49 151 12345678'],
            dynamic_content_placeholders: { code: '4711' },
          },
        ],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F2'] },
    },
    {
      request: {
        application: 'A1B2C-3D4E5',
        notifications: [{ send_date: 'now', preset: 'B1B2C-3D4E5', devices: ['whatsapp:+4915112345678'] }],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F3'] },
    },
  ],
});
