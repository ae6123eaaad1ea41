import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { jsonObject } from '../messages/texts.ts';
import { object, oneOf } from '../values.ts';
import { availableMessageCodes, notificationEntries, notificationsOf } from '../messages/notifications.ts';
import { activityId, activityMessage, moment, score } from './activity-notification.ts';

const notification = object({
  live_activity: object({
    event: oneOf(['update', 'end']).describe(
      '`update` replaces the state. `end` shows the last one and closes the activity: later updates are refused.',
    ),
    'content-state': jsonObject.describe('The state to show, as the app declares it: an object.'),
    'dismissal-date': moment.describe(
      'When the ended activity disappears: seconds from now below 1,000,000,000, else unix time. Left out, the ' +
        'system decides. No effect on updates.',
    ),
    'relevance-score': score.describe(
      'Order of the activity among those of the app, 1 or more, the highest first; up to 100 is recommended.',
    ),
    'stale-date': moment.describe(
      'When the state is out of date: seconds from now below 1,000,000,000, else unix time.',
    ),
  }).describe('What the push says of the activity.'),
  live_activity_id: activityId.describe('Identifies the activity. Every device with a token for it receives the push.'),
}).transform(({ live_activity: live, live_activity_id: id }) => ({
  // Frequency caps must not drop a part of an activity.
  message: activityMessage({ recipients: { kind: 'activity', id }, transactional: true }),
  id,
  event: live.event,
  contentState: live['content-state'],
  dismissalDate: live['dismissal-date'],
  staleDate: live['stale-date'],
  relevanceScore: live['relevance-score'],
}));

export const updateLiveActivity = json13('updateLiveActivity', {
  description:
    'Updates or ends a live activity on every device with a token for it. Updates are sent in order, one after the ' +
    'other; one that waits is replaced by the next.',
  entries: notificationEntries,
  scope: 'api',
  messagesOn210: true,
  input: object({ application: applicationCode, notifications: notificationsOf(notification) }),
  output: z.object({ Messages: availableMessageCodes }),
  examples: [
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        notifications: [
          {
            live_activity: {
              event: 'update',
              'content-state': { stage: 'near', minutes: 5 },
              'stale-date': 600,
              'relevance-score': 50,
            },
            live_activity_id: 'order-17',
          },
        ],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F2'] },
    },
    {
      request: {
        application: 'A1B2C-3D4E5',
        notifications: [
          {
            live_activity: { event: 'end', 'content-state': { stage: 'delivered' }, 'dismissal-date': 60 },
            live_activity_id: 'order-17',
          },
        ],
      },
      reply: { Messages: ['C3F8-C3863ED4-334AD4F3'] },
    },
  ],
});
