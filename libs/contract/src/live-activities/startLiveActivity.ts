import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import {
  availableMessageCodes,
  notificationEntries,
  notificationsOf,
  unknownDevices,
} from '../messages/notifications.ts';
import { recipientFields, recipientsOf } from '../messages/recipients.ts';
import { jsonObject, localized } from '../messages/texts.ts';
import { identityOf, object, optional } from '../values.ts';
import { activityId, activityMessage } from './activity-notification.ts';

const notification = object({
  content: localized.describe(
    'Text for devices that cannot start the activity, and of the alert that announces it: a text, or texts by ' +
      'language; `default` serves every other language.',
  ),
  title: optional(localized).describe(
    'Title of the same: a text, or texts by language; `default` serves every other language.',
  ),
  live_activity: object({
    'content-state': jsonObject.describe('The state to show, as the app declares it: an object.'),
    'attributes-type': identityOf(1, 255).describe('Name of the type of the attributes in the app.'),
    attributes: jsonObject.describe('What does not change while the activity lasts: an object.'),
  }).describe('What the push says of the activity.'),
  live_activity_id: optional(activityId).describe(
    'Identifies the activity in later updates. An open activity is started on further devices, a closed one ' +
      'afresh. Left out: a random one.',
  ),
  devices: recipientFields.devices.describe(
    'Hwids or push tokens of the iOS devices that start the activity. Takes precedence over `filter_code`.',
  ),
  users: recipientFields.users.describe('Users whose iOS devices start the activity. Takes precedence over `devices`.'),
  filter_code: optional(identityOf(1, 255)).describe(
    'Code of the segment whose iOS devices start the activity. Without recipients: all iOS devices of the ' +
      'application.',
  ),
}).transform(({ content: text, title, live_activity: live, live_activity_id: id, ...addressed }, context) => ({
  message: activityMessage({ recipients: recipientsOf(addressed, context), text, title, transactional: false }),
  id,
  contentState: live['content-state'],
  attributes: live.attributes,
  attributesType: live['attributes-type'],
}));

export const startLiveActivity = json13('startLiveActivity', {
  description:
    'Starts live activities on iOS devices with a push-to-start token; other iOS devices get the text as an ordinary ' +
    'push. An activity is closed 12 hours after its last start.',
  entries: notificationEntries,
  scope: 'api',
  messagesOn210: true,
  input: object({ application: applicationCode, notifications: notificationsOf(notification) }),
  output: z.object({ Messages: availableMessageCodes, UnknownDevices: unknownDevices }),
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
