const localized = 'a text, or texts by language; `default` serves every other language';

/** Fields of live activities. */
export const liveActivityWords = {
  'startLiveActivity.notifications.content': `Text for devices that cannot start the activity, and of the alert that announces it: ${localized}.`,
  'startLiveActivity.notifications.title': `Title of the same: ${localized}.`,
  'startLiveActivity.notifications.devices':
    'Hwids or push tokens of the iOS devices that start the activity. Takes precedence over `filter_code`.',
  'startLiveActivity.notifications.users':
    'Users whose iOS devices start the activity. Takes precedence over `devices`.',
  'startLiveActivity.notifications.filter_code':
    'Code of the segment whose iOS devices start the activity. Without recipients: all iOS devices of the application.',
  'startLiveActivity.notifications.live_activity_id':
    'Identifies the activity in later updates. An open activity is started on further devices, a closed one afresh. Left out: a random one.',
  'updateLiveActivity.notifications.live_activity_id':
    'Identifies the activity. Every device with a token for it receives the push.',
  live_activity: 'What the push says of the activity.',
  'live_activity.content-state': 'The state to show, as the app declares it: an object.',
  'live_activity.attributes-type': 'Name of the type of the attributes in the app.',
  'live_activity.attributes': 'What does not change while the activity lasts: an object.',
  'live_activity.event':
    '`update` replaces the state. `end` shows the last one and closes the activity: later updates are refused.',
  'live_activity.dismissal-date':
    'When the ended activity disappears: seconds from now below 1,000,000,000, else unix time. Left out, the system decides. No effect on updates.',
  'live_activity.relevance-score':
    'Order of the activity among those of the app, 1 or more, the highest first; up to 100 is recommended.',
  'live_activity.stale-date': 'When the state is out of date: seconds from now below 1,000,000,000, else unix time.',
};
