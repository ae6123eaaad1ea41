import { DENIED, deviceIdOf, hwidHashOf, tokenTime } from '@tidings/audience';
import { addressTexts } from '@tidings/channels';
import { Fault, Platform } from '@tidings/kernel';
import { type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import type { Devices } from '@tidings/rpc';
import { addressHashes } from '../../identities/identity-keys.ts';
import type { DevicesDeps } from '../commands/apply.ts';
import { devicesOfUsers } from './devices-of-users.ts';

type Contact = Pick<DeviceDocument, 'hwid' | 'platform'>;

/** The last to register an address comes first, the one with it as hwid last (R-C1, R-E1). */
export function contactsRpc({ db, keys, owners }: DevicesDeps): Pick<Devices, 'findContacts'> {
  const devices = db.collection<DeviceDocument>(DEVICES);

  const byAddress = async (account: string, app: string, email: string): Promise<Contact[]> => {
    const ids = addressTexts(email).map((hwid) => deviceIdOf(app, hwidHashOf(keys.device, account, hwid)));
    const hashes = addressHashes(keys.token, email);
    const projection = { _id: 0, hwid: 1, platform: 1, token: 1, ta: 1, 'self.tokenAt': 1 };
    const [holders, named] = await Promise.all([
      devices.find({ app, th: { $in: [...hashes] } }, { projection, hint: deviceIndexes.token }).toArray(),
      devices.find({ _id: { $in: ids }, status: 1, th: { $exists: false } }, { projection }).toArray(),
    ]);
    return [...holders.sort((a, b) => tokenTime(b) - tokenTime(a)), ...named];
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
