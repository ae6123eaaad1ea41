import { adminMethods } from './admin/admin-methods.ts';
import { applicationMethods } from './applications/application-methods.ts';
import { audienceMethods } from './audience/audience-methods.ts';
import { campaignMethods } from './campaigns/campaign-methods.ts';
import { deviceMethods } from './devices/device-methods.ts';
import { emailMethods } from './emails/email-methods.ts';
import { geozoneMethods } from './geozones/geozone-methods.ts';
import { inboxMethods } from './inbox/inbox-methods.ts';
import { liveActivityMethods } from './live-activities/live-activity-methods.ts';
import { messageMethods } from './messages/message-methods.ts';
import { notifyMethods } from './notify/notify-methods.ts';
import { presetMethods } from './presets/preset-methods.ts';
import { segmentMethods } from './segments/segment-methods.ts';
import { statisticsMethods } from './statistics/statistics-methods.ts';
import { tagMethods } from './tags/tag-methods.ts';
import { testDeviceMethods } from './test-devices/test-device-methods.ts';

export const groups = {
  applications: applicationMethods,
  devices: deviceMethods,
  emails: emailMethods,
  tags: tagMethods,
  'test-devices': testDeviceMethods,
  segments: segmentMethods,
  audience: audienceMethods,
  messages: messageMethods,
  'live-activities': liveActivityMethods,
  inbox: inboxMethods,
  notify: notifyMethods,
  geozones: geozoneMethods,
  presets: presetMethods,
  campaigns: campaignMethods,
  statistics: statisticsMethods,
  admin: adminMethods,
} as const;

export const api = {
  ...applicationMethods,
  ...deviceMethods,
  ...emailMethods,
  ...tagMethods,
  ...testDeviceMethods,
  ...segmentMethods,
  ...audienceMethods,
  ...messageMethods,
  ...liveActivityMethods,
  ...inboxMethods,
  ...notifyMethods,
  ...geozoneMethods,
  ...presetMethods,
  ...campaignMethods,
  ...statisticsMethods,
  ...adminMethods,
} as const;
