import type { api } from '@tidings/contract';
import type { Serves } from '../context.ts';
import { adminHandlers } from './admin/admin-handlers.ts';
import { applicationHandlers } from './applications/application-handlers.ts';
import { audienceHandlers } from './audience/audience-handlers.ts';
import { campaignHandlers } from './campaigns/campaign-handlers.ts';
import { deviceHandlers } from './devices/device-handlers.ts';
import { emailHandlers } from './emails/email-handlers.ts';
import { geozoneHandlers } from './geozones/geozone-handlers.ts';
import { inboxHandlers } from './inbox/inbox-handlers.ts';
import { liveActivityHandlers } from './live-activities/live-activity-handlers.ts';
import { messageHandlers } from './messages/message-handlers.ts';
import { notifyHandlers } from './notify/notify-handlers.ts';
import { presetHandlers } from './presets/preset-handlers.ts';
import { segmentHandlers } from './segments/segment-handlers.ts';
import { statisticsHandlers } from './statistics/statistics-handlers.ts';
import { tagHandlers } from './tags/tag-handlers.ts';
import { testDeviceHandlers } from './test-devices/test-device-handlers.ts';

/** A handler for every method of the contract: a missing one does not compile. */
export const handlers = {
  ...applicationHandlers,
  ...deviceHandlers,
  ...emailHandlers,
  ...tagHandlers,
  ...testDeviceHandlers,
  ...segmentHandlers,
  ...audienceHandlers,
  ...messageHandlers,
  ...liveActivityHandlers,
  ...inboxHandlers,
  ...notifyHandlers,
  ...geozoneHandlers,
  ...presetHandlers,
  ...campaignHandlers,
  ...statisticsHandlers,
  ...adminHandlers,
} satisfies Serves<typeof api>;
