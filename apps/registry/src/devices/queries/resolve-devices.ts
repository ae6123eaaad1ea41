import { DENIED, hwidHashOf } from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import { type DeviceDocument, DEVICES } from '@tidings/registry-store';
import type { Devices } from '@tidings/rpc';
import type { DevicesDeps } from '../commands/apply.ts';
import { resolveContacts } from './target-contacts.ts';
import { byToken } from './named.ts';
import { devicesOfUsers } from './devices-of-users.ts';

export const MAX_OF_USERS = 32_768;

/** @throws Fault `tooLarge` beyond {@link MAX_OF_USERS} devices */
export function resolveRpc({ db, keys, owners }: DevicesDeps): Pick<Devices, 'resolve'> {
  const devices = db.collection<DeviceDocument>(DEVICES);

  const hwidsOf = async (application: string, users: readonly string[]): Promise<ReadonlyMap<string, string[]>> => {
    if (users.length === 0) return new Map();
    const fields = ['hwid', 'user', 'hwidHash', 'seq'] as const;
    const found = await devicesOfUsers(devices, application, [...new Set(users)], fields, MAX_OF_USERS);
    if (found.length > MAX_OF_USERS) throw Fault.tooLarge(`at most ${MAX_OF_USERS} devices of users at once`);
    found.sort((a, b) => a.seq - b.seq);
    const byUser = Map.groupBy(found, ({ user, hwidHash }) => user ?? hwidHash);
    return new Map([...byUser].map(([user, of]) => [user, of.map(({ hwid }) => hwid)]));
  };

  return {
    async resolve({ account, application, userIds, pushTokens, hwids }) {
      await owners.learn([application]);
      if (!owners.owns(account, application)) throw Fault.argument(DENIED);
      const users = userIds.map((id) => hwidHashOf(keys.device, account, id));
      const given = hwids.map((hwid) => ({ account, application, hwid }));
      const [ofUsers, ofTokens, contacts] = await Promise.all([
        hwidsOf(application, users),
        pushTokens.length === 0 ? [] : byToken(new Set(pushTokens), { devices, keys, account, application }),
        resolveContacts(given, { devices, keys }),
      ]);
      const byName = new Map<string, string>();
      for (const { hwid, names } of [...ofTokens].sort((a, b) => b.seq - a.seq)) {
        for (const name of names) byName.set(name, hwid);
      }
      return {
        byUserId: users.map((user) => ({ names: ofUsers.get(user) ?? [] })),
        byPushToken: pushTokens.map((token) => ({ names: byName.has(token) ? [byName.get(token)!] : [] })),
        hwids: given.map((one) => contacts.get(one) ?? one.hwid),
      };
    },
  };
}
