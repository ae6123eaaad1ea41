import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { optionalUnless } from '../presence.ts';
import { object, optional, whole } from '../values.ts';
import { notification } from './notification.ts';
import { notificationsOf } from './notifications.ts';

const given = (value: unknown): boolean => value !== undefined && value !== null;

const fields = object({
  application: optionalUnless(applicationCode, (request) =>
    given(request['application']) || given(request['applications_group']) ? undefined : 'application',
  ),
  applications_group: optional(applicationCode),
  notifications: notificationsOf(notification),
})
  .refine(
    (request) => request.application === undefined || request.applications_group === undefined,
    whole('application and applications_group must not be used together'),
  )
  .check(({ value: { applications_group: group, notifications }, issues }) => {
    const listed = group === undefined ? undefined : notifications.find(({ recipients }) => 'names' in recipients);
    if (!listed) return;
    const { error: message, params } = whole(`${listed.recipients.kind} must not be used with applications_group`);
    issues.push({ code: 'custom', message, params, input: group });
  });

/**
 * Sends messages, one per notification; all are checked before any is created (R-I1). A message to fewer than ten named recipients
 * returns CODE_NOT_AVAILABLE unless debug mode is on (R-I6). Spec I.
 */
export const createMessage = json13('createMessage', {
  scope: 'api',
  messagesOn210: true,
  input: fields.transform((request) => ({
    /** Codes; one of them is "". */
    application: request.application ?? '',
    group: request.applications_group ?? '',
    notifications: request.notifications,
  })),
  output: z.object({
    Messages: z.array(z.string()),
    UnknownDevices: z.record(z.string(), z.array(z.string())).optional(),
  }),
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
