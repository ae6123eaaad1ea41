import type { api, OutputOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { CountInboxReply, DeviceRecord } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { shownTags } from '../devices/getTags.ts';
import { rfc3339 } from '../times.ts';

type Shown = OutputOf<typeof api.findDevices>['devices'][number];

const shownDevice = (device: DeviceRecord, { entries, fresh }: CountInboxReply): Shown => ({
  number: device.seq,
  hwid: device.hwid,
  user: device.userId,
  platform: device.platform,
  token_hash: device.tokenHash || null,
  token_set_at: rfc3339(device.tokenSetAt),
  created_at: rfc3339(device.createdAt),
  opened_at: rfc3339(device.openedAt),
  language: device.language || null,
  timezone: device.timezoneSeconds ?? null,
  notifications: device.notifications ?? null,
  test_device: device.testDevice,
  tags: shownTags(device),
  inbox: { entries, new: fresh },
  registrations: device.registrations.map(({ application, platform, hasToken, createdAt }) => ({
    application,
    platform,
    has_token: hasToken,
    created_at: rfc3339(createdAt),
  })),
});

export const findDevices: Handler<typeof api.findDevices, 'applications' | 'devices' | 'inbox'> = async (
  { application, by },
  { applications, devices, inbox },
) => {
  const { application: found } = await applications.findApplication({ application });
  if (!found) throw Fault.notFound('Application not found');
  const { account, code } = found;
  const { devices: records, more } = await devices.find({ account, application: code, by });
  const shown: Shown[] = [];
  for (const record of records) {
    const { hwid, userId } = record;
    shown.push(shownDevice(record, await inbox.count({ owner: { account, application: code, userId, hwid } })));
  }
  return { devices: shown, more };
};
