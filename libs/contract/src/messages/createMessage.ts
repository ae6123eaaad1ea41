import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { object } from '../values.ts';
import { applicationOrGroup, refuseBoth, refuseListed, toApplicationOrGroup } from './application-or-group.ts';
import { notification } from './notification.ts';
import { availableMessageCodes, notificationEntries, notificationsOf, unknownDevices } from './notifications.ts';

const fields = object({ ...applicationOrGroup, notifications: notificationsOf(notification) }).transform(
  (request, context) => {
    const { notifications } = request;
    refuseBoth(request, context);
    const recipients = notifications.map((each) => each.recipients);
    refuseListed(request, recipients, context);
    return { ...toApplicationOrGroup(request), notifications };
  },
);

export const createMessage = json13('createMessage', {
  description:
    'Sends messages, one per notification; all are checked before any is created. A message to fewer than ten named ' +
    'recipients returns CODE_NOT_AVAILABLE unless debug mode is on.',
  entries: notificationEntries,
  scope: 'api',
  messagesOn210: true,
  input: fields,
  output: z.object({ Messages: availableMessageCodes, UnknownDevices: unknownDevices }),
  examples: [
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        applications_group: null,
        notifications: [
          {
            send_date: 'now',
            content: { en: 'Hello {{Name|CapitalizeFirst|friend}}', de: 'Hallo' },
            title: 'News',
            data: { article: 17 },
            link: 'https://example.com/17',
            platforms: [1, 3],
            conditions: [['Level', 'GTE', 5]],
            conditions_operator: 'and',
            dynamic_content_placeholders: { Name: 'Anna' },
            transactionId: 'news-17',
            ios_badges: '+1',
            ios_root_params: { aps: { 'mutable-content': 1 } },
            android_led: '#FF0000',
            android_priority: 2,
            mac_sound: 'Glass',
            safari_title: 'Sale',
            safari_url_args: ['sale', '7'],
            wns_tag: 'news17',
          },
        ],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F1'] },
    },
    {
      request: {
        application: 'A1B2C-3D4E5',
        notifications: [
          { content: 'Your code is 4711', devices: ['phone-1', 'phone-2'], message_type: 'transactional' },
        ],
      },
      reply: { Messages: ['CODE_NOT_AVAILABLE'], UnknownDevices: { CODE_NOT_AVAILABLE: ['phone-2'] } },
    },
    {
      request: { applications_group: 'B1B2C-3D4E5', notifications: [{ content: 'To all applications of the group' }] },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F2'] },
    },
  ],
});
