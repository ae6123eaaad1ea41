import { Platform } from '@tidings/kernel';
import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { isGiven, optionalUnless } from '../presence.ts';
import { identityOf, listOf, object, optional, text } from '../values.ts';
import { channelFields, channelMessage } from './channel-message.ts';
import { CONDITIONS } from './conditions.ts';
import { kakaoContent, kakaoFields } from './kakao.ts';
import { notificationsCall } from './notifications.ts';
import { recipientFields, type Recipients } from './recipients.ts';
import { templateValues } from './template-values.ts';

const MAX_NAMES = 1000;

const contact = text
  .refine((value) => /^kakao:\d{5,20}$/.test(value), 'must be kakao: and 5 to 20 digits')
  .meta({ pattern: '^kakao:[0-9]{5,20}$' });

const refused = z
  .null({ error: 'must not be used with createKakaoMessage' })
  .transform(() => undefined)
  .optional()
  .meta({ constraint: 'Refused: `devices` or `users` say who receives the message.' });

const { preset: _, ...common } = channelFields;

const notification = object({
  ...common,
  devices: optionalUnless(listOf(contact, MAX_NAMES), ({ devices, users }) =>
    isGiven(devices) || isGiven(users) ? undefined : 'devices',
  ).describe(
    'Hwids of Kakao contacts, `kakao:` and 5 to 20 digits, up to 1,000. Unknown ones are registered. Required ' +
      'without `users`, which take precedence.',
  ),
  users: optional(listOf(identityOf(1, 255), MAX_NAMES)).describe(recipientFields.users.description!),
  template: kakaoFields.template,
  kakao_content_variables: optional(templateValues()).describe(
    'Values of the template by name. An object of texts, or JSON text of one, of up to 100 entries.',
  ),
  platforms: refused.describe(recipientFields.platforms.description!),
  filter: refused.describe(recipientFields.filter.description!),
  filter_code: refused.describe(recipientFields.filter_code.description!),
  conditions: refused.describe(CONDITIONS),
}).transform(({ devices = [], users, template, kakao_content_variables: values, ...rest }) => {
  // Users take precedence, as in createMessage (R-I3).
  const recipients: Recipients = users
    ? { kind: 'users', names: [...new Set(users)] }
    : { kind: 'contacts', platform: Platform.Kakao, names: [...new Set(devices)] };
  return channelMessage(
    { ...rest, preset: undefined },
    {
      platform: Platform.Kakao,
      recipients,
      content: { kakao: kakaoContent({ template, content: undefined, content_variables: values }) },
      transactional: true,
    },
  );
});

export const createKakaoMessage = json13('createKakaoMessage', {
  description: 'Sends each notification to Kakao contacts by an approved template; unknown contacts are registered.',
  ...notificationsCall(notification),
  examples: [
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        notifications: [
          {
            send_date: 'now',
            devices: ['kakao:01012345678', 'kakao:01012345679'],
            template: 'order_shipped',
            kakao_content_variables: { name: 'Anna', order: '17' },
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
            users: ['anna'],
            template: 'welcome',
            dynamic_content_placeholders: { code: '4711' },
          },
        ],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F2'] },
    },
  ],
});
