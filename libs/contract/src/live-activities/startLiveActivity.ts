import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { recipientFields, recipientsOf } from '../messages/recipients.ts';
import { jsonObject, localized } from '../messages/texts.ts';
import { identityOf, object, optional } from '../values.ts';
import { activityId, activityMessage } from './activity-notification.ts';
import { notificationEntries, notificationsOf } from '../messages/notifications.ts';

const { devices, users } = recipientFields;

const notification = object({
  content: localized,
  title: optional(localized),
  live_activity: object({
    'content-state': jsonObject,
    'attributes-type': identityOf(1, 255),
    attributes: jsonObject,
  }),
  live_activity_id: optional(activityId),
  devices,
  users,
  filter_code: optional(identityOf(1, 255)),
}).transform(({ content: text, title, live_activity: live, live_activity_id: id, ...addressed }, context) => ({
  message: activityMessage({ recipients: recipientsOf(addressed, context), text, title, transactional: false }),
  /** Undefined: a random one. */
  id,
  /** JSON objects. */
  contentState: live['content-state'],
  attributes: live.attributes,
  attributesType: live['attributes-type'],
}));

/**
 * Starts live activities on iOS devices with a push-to-start token; other iOS devices get the text as an ordinary push (R-M1, R-M2). An activity is
 * closed 12 hours after its last start (R-S6). Spec M.
 */
export const startLiveActivity = json13('startLiveActivity', {
  entries: notificationEntries,
  scope: 'api',
  messagesOn210: true,
  input: object({ application: applicationCode, notifications: notificationsOf(notification) }),
  output: z.object({
    Messages: z.array(z.string()),
    UnknownDevices: z.record(z.string(), z.array(z.string())).optional(),
  }),
  examples: [
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        notifications: [
          {
            content: 'Your order is on its way',
            title: 'Order 17',
            live_activity: {
              'content-state': { stage: 'packed', minutes: 35 },
              'attributes-type': 'OrderAttributes',
              attributes: { order: 17 },
            },
            live_activity_id: 'order-17',
            users: ['anna'],
          },
        ],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F1'] },
    },
  ],
});
