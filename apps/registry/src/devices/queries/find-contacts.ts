import { DENIED, deviceIdOf, hwidHashOf } from '@tidings/audience';
import { Fault, Platform } from '@tidings/kernel';
import type { Devices } from '@tidings/rpc';
import { tokenHash } from '../commands/action-of-command.ts';
import type { DevicesDeps } from '../commands/apply.ts';
import { type DeviceDocument, deviceIndexes, DEVICES } from '../storage/device-document.ts';
import { devicesOfUsers } from './devices-of-users.ts';

type Contact = Pick<DeviceDocument, 'hwid' | 'platform'>;

/** Finds e-mail contacts: the address is the hwid, or the token of a contact with its own hwid (R-C1, R-E1). */
export function contactsRpc({ db, keys, owners }: DevicesDeps): Pick<Devices, 'findContacts'> {
  const devices = db.collection<DeviceDocument>(DEVICES);

  const byAddress = async (account: string, app: string, email: string): Promise<Contact[]> => {
    const projection = { _id: 0, hwid: 1, platform: 1 };
    const found = await Promise.all([
      devices
        .find({ _id: deviceIdOf(app, hwidHashOf(keys.device, account, email)), status: 1 }, { projection })
        .toArray(),
      devices.find({ app, th: tokenHash(keys.token, email) }, { projection, hint: deviceIndexes.token }).toArray(),
    ]);
    return found.flat();
  };

  return {
    async findContacts({ account, application, email, userId = '' }) {
      await owners.learn([application]);
      if (!owners.owns(account, application)) throw Fault.argument(DENIED);
      const found =
        email === undefined
          ? await devicesOfUsers(devices, application, [hwidHashOf(keys.device, account, userId)], ['hwid', 'platform'])
          : await byAddress(account, application, email);
      const contacts = found.filter(({ platform }) => platform === Platform.Email);
      return { hwids: [...new Set(contacts.map(({ hwid }) => hwid))] };
    },
  };
}
