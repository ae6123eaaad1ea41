import type { api } from '@tidings/contract';
import type { Serves } from '../context.ts';
import * as adminHandlers from './admin/admin-handlers.ts';
import * as applicationHandlers from './applications/application-handlers.ts';
import * as audienceHandlers from './audience/audience-handlers.ts';
import * as campaignHandlers from './campaigns/campaign-handlers.ts';
import * as deviceHandlers from './devices/device-handlers.ts';
import * as emailHandlers from './emails/email-handlers.ts';
import * as geozoneHandlers from './geozones/geozone-handlers.ts';
import * as inboxHandlers from './inbox/inbox-handlers.ts';
import * as liveActivityHandlers from './live-activities/live-activity-handlers.ts';
import * as messageHandlers from './messages/message-handlers.ts';
import * as notifyHandlers from './notify/notify-handlers.ts';
import * as presetHandlers from './presets/preset-handlers.ts';
import * as segmentHandlers from './segments/segment-handlers.ts';
import * as statisticsHandlers from './statistics/statistics-handlers.ts';
import * as tagHandlers from './tags/tag-handlers.ts';
import * as testDeviceHandlers from './test-devices/test-device-handlers.ts';

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
