import { DENIED, deviceIdOf, deviceLogOf, keyedId, personOf } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import { type Clock, Fault } from '@tidings/kernel';
import { type DeviceCommand, type DeviceReply, type Devices, viewOfFault } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { Owners } from '../applications/owners.ts';
import type { TagSet, Tags } from '../tags/tags.ts';
import { actionOf, hwidOf, type IdentityKeys } from './action.ts';
import type { DeviceLogCommand, DeviceLogReply } from './command.ts';
import { type DeviceDocument, deviceIndexes, DEVICES } from './document.ts';

export interface DevicesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly keys: IdentityKeys;
  readonly owners: Owners;
  readonly tags: Tags;
  readonly logs: LogWriter<DeviceLogCommand, DeviceLogReply>;
}

const tagsIn = ({ command }: DeviceCommand): Readonly<Record<string, unknown>> | undefined =>
  command?.$case === 'register' || command?.$case === 'setTags' ? command.value.tags : undefined;

/** The tags of each account, with all names that the commands use; read anew only where one is unknown. */
async function tagSets(commands: readonly DeviceCommand[], tags: Tags): Promise<ReadonlyMap<string, TagSet>> {
  const names = new Map<string, Set<string>>();
  for (const command of commands) {
    let ofAccount = names.get(command.account);
    if (!ofAccount) names.set(command.account, (ofAccount = new Set()));
    for (const name in tagsIn(command)) ofAccount.add(name);
  }
  return new Map(
    await Promise.all([...names].map(async ([account, used]) => [account, await tags.of(account, used)] as const)),
  );
}

const done: DeviceReply = { fault: undefined };

/** Commands of many callers, each answered on its own: they join the groups of their devices' logs (architecture 4). */
export function applyRpc({ db, clock, log, keys, owners, tags, logs }: DevicesDeps): Pick<Devices, 'apply'> {
  const devices = db.collection<DeviceDocument>(DEVICES);

  /** hwids of the user's devices in the application. */
  const hwidsOf = async ({ account, application: app, userId }: DeviceCommand): Promise<string[]> => {
    const user = personOf(keys.device, account, userId);
    const found = await devices
      .find({ app, user }, { projection: { _id: 0, hwid: 1 }, hint: deviceIndexes.user })
      .toArray();
    if (found.length === 0) throw Fault.argument('User not found');
    return found.map(({ hwid }) => hwid);
  };

  const submit = (command: DeviceCommand, hwid: string, set: TagSet, at: Date): Promise<DeviceLogReply> => {
    const { account, application, idempotencyKey } = command;
    const person = personOf(keys.device, account, hwid);
    const logCommand: DeviceLogCommand = {
      identity: { account, application, person, hwid },
      id: deviceIdOf(application, person),
      action: actionOf(command, { account, hwid, tags: set, keys }, person),
      at,
      key:
        idempotencyKey === ''
          ? undefined
          : keyedId(keys.device, application, person, command.command?.$case ?? '', idempotencyKey),
    };
    return logs.submit(deviceLogOf(person), logCommand);
  };

  const apply = async (command: DeviceCommand, set: TagSet, at: Date): Promise<DeviceReply> => {
    try {
      if (!owners.owns(command.account, command.application)) throw Fault.argument(DENIED);
      const byUser = command.hwid === '' && command.userId !== '' && command.command?.$case !== 'register';
      if (!byUser) await submit(command, hwidOf(command), set, at);
      else await Promise.all((await hwidsOf(command)).map((hwid) => submit(command, hwid, set, at)));
      return done;
    } catch (error) {
      const fault = Fault.from(error);
      if (fault.kind === 'bug') log.error({ err: fault }, 'device command failed');
      return { fault: viewOfFault(fault) };
    }
  };

  return {
    async apply({ commands }) {
      const [sets] = await Promise.all([
        tagSets(commands, tags),
        owners.learn(commands.map(({ application }) => application)),
      ]);
      const at = new Date(clock.now());
      return { replies: await Promise.all(commands.map((command) => apply(command, sets.get(command.account)!, at))) };
    },
  };
}
