import { Platform } from '@tidings/kernel';
import { json13 } from '../families/json13.ts';
import { smsNumber } from '../fields/device.ts';
import { isGiven, optionalUnless } from '../presence.ts';
import { boolean, nonEmptyText, object, optional } from '../values.ts';
import { channelFields, channelMessage, listOfOne } from './channel-message.ts';
import { notificationsCall } from './notifications.ts';
import { plainLocalized } from './texts.ts';

const notification = object({
  ...channelFields,
  content: optionalUnless(nonEmptyText, ({ content, preset }) =>
    isGiven(content) || isGiven(preset) ? undefined : 'content',
  ).describe(
    'Text of the SMS, which may contain placeholders. Required without `preset`. A long text is sent in several ' +
      'parts.',
  ),
  devices: listOfOne(smsNumber, 'phone number').describe(
    'The phone number, in a list of its own: `+` and 7 to 15 digits. It must be registered, unless ' +
      '`use_auto_registration` is set.',
  ),
  use_auto_registration: optional(boolean).describe('Whether the number is registered if it is unknown.'),
}).transform(({ content, devices, use_auto_registration: registers = false, ...common }) => ({
  message: channelMessage(common, {
    platform: Platform.Sms,
    recipients: { kind: 'contacts', platform: Platform.Sms, names: devices },
    content: { text: plainLocalized(content) },
    transactional: true,
  }),
  registers,
}));

export const createSMSMessage = json13('createSMSMessage', {
  description: 'Sends each notification as an SMS to one phone number.',
  ...notificationsCall(notification),
  examples: [
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        notifications: [
          {
            send_date: 'now',
            content: 'Your code is {{code}}',
            devices: ['+4915112345678'],
            use_auto_registration: true,
            dynamic_content_placeholders: { code: '4711' },
            transactionId: 'code-17',
          },
        ],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F1'] },
    },
    {
      request: {
        application: 'A1B2C-3D4E5',
        notifications: [{ send_date: '2020-01-15 12:00', preset: 'B1B2C-3D4E5', devices: ['+49 151 12345678'] }],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F2'] },
    },
  ],
});
