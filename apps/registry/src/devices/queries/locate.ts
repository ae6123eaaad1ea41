import { deviceIdOf, hwidHashOf } from '@tidings/audience';
import { type DeviceDocument, DEVICES } from '@tidings/registry-store';
import type { Devices } from '@tidings/rpc';
import type { DevicesDeps } from '../commands/apply.ts';
import { resolveContacts } from './target-contacts.ts';

export function locateRpc({ db, keys, owners }: DevicesDeps): Pick<Devices, 'locate'> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  return {
    async locate({ account, application, hwids }) {
      await owners.learn([application]);
      if (!owners.owns(account, application)) {
        return { locations: hwids.map(() => ({ found: false, seq: 0, platform: 0, hasToken: false })) };
      }
      const given = hwids.map((hwid) => ({ account, application, hwid }));
      const contacts = await resolveContacts(given, { devices, keys });
      const ids = given.map((one) =>
        deviceIdOf(application, hwidHashOf(keys.device, account, contacts.get(one) ?? one.hwid)),
      );
      const found = await devices
        .find({ _id: { $in: ids } }, { projection: { seq: 1, platform: 1, status: 1, th: 1 } })
        .toArray();
      const byId = new Map(found.filter(({ status }) => status === 1).map((device) => [device._id, device]));
      return {
        locations: ids.map((id) => {
          const device = byId.get(id);
          return {
            found: device !== undefined,
            seq: device?.seq ?? 0,
            platform: device?.platform ?? 0,
            hasToken: device?.th !== undefined,
          };
        }),
      };
    },
  };
}
