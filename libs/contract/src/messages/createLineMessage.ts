import { Platform } from '@tidings/kernel';
import { json13 } from '../families/json13.ts';
import { hwid } from '../fields/device.ts';
import { isGiven, optionalUnless } from '../presence.ts';
import { listOf, object, optional } from '../values.ts';
import { channelFields, channelMessage } from './channel-message.ts';
import { lineTemplates, lineText } from './line-template.ts';
import { notificationsCall } from './notifications.ts';
import { plainLocalized } from './texts.ts';

const MAX_USERS = 1000;

const notification = object({
  content: optionalUnless(lineText, ({ content, preset, template }) =>
    [content, preset, template].some(isGiven) ? undefined : 'content',
  ).describe(
    'Text of the message, up to 5,000 characters, which may contain placeholders. Required without `preset` and ' +
      '`template`.',
  ),
  ...channelFields,
  devices: listOf(hwid, MAX_USERS).describe('Ids of the users, up to 1,000. Unknown ones are registered.'),
  template: optional(lineTemplates).describe(
    'Templates by language, each with one of `image`, `image_carousel` and `raw`. A template is sent in place of ' +
      'the text; users have a language only if they are registered with one, otherwise `default`, `en` or the first ' +
      'one counts.',
  ),
}).transform(({ content, devices, template, ...common }) =>
  channelMessage(common, {
    platform: Platform.Line,
    recipients: { kind: 'contacts', platform: Platform.Line, names: [...new Set(devices)] },
    content: {
      text: plainLocalized(content),
      ...(template && { line: { text: undefined, templates: template } }),
    },
    transactional: true,
  }),
);

export const createLineMessage = json13('createLineMessage', {
  description: 'Sends each notification to users of LINE, who are registered if they are unknown.',
  ...notificationsCall(notification),
  examples: [
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        notifications: [
          {
            send_date: 'now',
            content: 'Hello {{Name|CapitalizeFirst|friend}}',
            devices: ['U4af4980629f4bd7c3d2a8fd5b1d2c9e7'],
            dynamic_content_placeholders: { Name: 'anna' },
            transactionId: 'hello-17',
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
            preset: 'B1B2C-3D4E5',
            devices: ['U4af4980629f4bd7c3d2a8fd5b1d2c9e7', 'U0c3331dbd1b0a1e3b7b5e2f6e8a9d0c1'],
            template: {
              default: {
                image_carousel: {
                  alt_text: 'Our offers',
                  columns: [{ image_url: 'https://example.com/1.png' }, { image_url: 'https://example.com/2.png' }],
                },
              },
              de: {
                image: { image_url: 'https://example.com/de.png', preview_image_url: 'https://example.com/s.png' },
              },
              th: {
                raw: { alt_text: 'Offer', content: { type: 'bubble', body: { type: 'box', layout: 'vertical' } } },
              },
            },
          },
        ],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F2'] },
    },
  ],
});
