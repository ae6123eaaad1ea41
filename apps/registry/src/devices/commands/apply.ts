import { decide, DENIED, deviceIdOf, deviceLogOf, keyedId, lastActivity, hwidHashOf } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import { type Clock, Fault } from '@tidings/kernel';
import { TAG_MAX_AGE_MS, type TagSet, type Tags, type DeviceDocument, DEVICES } from '@tidings/registry-store';
import { type DeviceCommand, type DeviceReply, type Devices, viewOfFault } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { Owners } from '../../applications/owners.ts';
import { actionOf, hwidOf } from './action-of-command.ts';
import type { IdentityKeys } from '../../identities/identity-keys.ts';
import type { DeviceLogCommand, DeviceLogReply } from './device-log-command.ts';
import { resolveContacts } from '../queries/target-contacts.ts';
import { usedKeys } from '../storage/used-keys.ts';
import type { DeviceLogInput } from './device-log.ts';
import { RecentOwners } from './recent-owners.ts';
import { settleTokens } from '../reactions/token-owners.ts';
import { devicesOfUsers } from '../queries/devices-of-users.ts';
import { deviceOf } from '../storage/stored-device.ts';

export interface DevicesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly keys: IdentityKeys;
  readonly owners: Owners;
  readonly tags: Tags;
  readonly logs: LogWriter<DeviceLogInput, DeviceLogReply>;
}

const tagsIn = ({ command }: DeviceCommand): Readonly<Record<string, unknown>> | undefined =>
  command?.$case === 'register' || command?.$case === 'setTags' ? command.value.tags : undefined;

interface UsedTags {
  readonly names: Set<string>;
  /** Sees tags that another process has just added. */
  exact: boolean;
}

async function tagSets(commands: readonly DeviceCommand[], tags: Tags): Promise<ReadonlyMap<string, TagSet>> {
  const used = new Map<string, UsedTags>();
  for (const command of commands) {
    let ofAccount = used.get(command.account);
    if (!ofAccount) used.set(command.account, (ofAccount = { names: new Set(), exact: false }));
    if (command.command?.$case === 'setTags') ofAccount.exact = true;
    for (const name in tagsIn(command)) ofAccount.names.add(name);
  }
  const sets = [...used].map(async ([account, { names, exact }]) => {
    const set = await tags.of(account, names, exact ? 0 : TAG_MAX_AGE_MS);
    return [account, set] as const;
  });
  return new Map(await Promise.all(sets));
}

interface Addressed {
  readonly command: DeviceCommand;
  readonly hwid: string;
  readonly hwidHash: string;
  readonly id: string;
}

interface Round {
  readonly set: TagSet;
  readonly at: Date;
}

const isRegistration = ({ command }: DeviceCommand): boolean => command?.$case === 'register';
const isByUser = (command: DeviceCommand): boolean =>
  command.hwid === '' && command.userId !== '' && !isRegistration(command);

/** A user's event happens on one device (R-X1). */
const happensOnce = ({ command }: DeviceCommand): boolean => command?.$case === 'recordEvent';

export const TAGS_TOO_LARGE = 'tags: too large together';

const done: DeviceReply = { fault: undefined };

function refusal(error: unknown, log: Logger): DeviceReply {
  const fault = Fault.from(error);
  if (fault.kind === 'bug') log.error({ err: fault }, 'device command failed');
  // The request may be small: the stored device leaves no room.
  return { fault: viewOfFault(fault.kind === 'tooLarge' ? Fault.argument(TAGS_TOO_LARGE) : fault) };
}

function submitter({ db, clock, log, logs }: Pick<DevicesDeps, 'db' | 'clock' | 'log' | 'logs'>) {
  const recentOwners = new RecentOwners();

  /** The reaction to the event finds all other owners. */
  const takeToken = async (app: string, tokenHash: string): Promise<void> => {
    try {
      await settleTokens(app, [tokenHash], { db, clock, logs });
    } catch (error) {
      log.warn({ err: error }, 'moving a push token is left to the reaction');
    }
  };

  return (command: DeviceLogCommand): Promise<unknown> => {
    const { identity, id, action } = command;
    const submitted = logs.submit(deviceLogOf(identity.hwidHash), command);
    if (action.type !== 'register' || !action.token) return submitted;
    const { hash } = action.token;
    const hasMoved = recentOwners.take(identity.application, hash, id);
    return hasMoved ? submitted.then(() => takeToken(identity.application, hash)) : submitted;
  };
}

export function applyRpc({ db, clock, log, keys, owners, tags, logs }: DevicesDeps): Pick<Devices, 'apply'> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  const submit = submitter({ db, clock, log, logs });

  const address = (command: DeviceCommand, hwid: string): Addressed => {
    const hwidHash = hwidHashOf(keys.device, command.account, hwid);
    return { command, hwid, hwidHash, id: deviceIdOf(command.application, hwidHash) };
  };

  const commandFor = (
    { command, hwid, hwidHash, id }: Addressed,
    { set, at }: Round,
    guarded = hwidHash,
  ): DeviceLogCommand => {
    const { account, application, idempotencyKey } = command;
    const key =
      idempotencyKey === ''
        ? undefined
        : keyedId(keys.device, application, guarded, command.command?.$case ?? '', idempotencyKey);
    return {
      identity: { account, application, hwidHash, hwid },
      id,
      action: actionOf(command, { account, hwid, tags: set, keys }, hwidHash),
      at,
      key,
    };
  };

  /** A value that one of the user's devices cannot hold refuses all (R-C4). */
  const submitForUser = async (command: DeviceCommand, round: Round): Promise<unknown> => {
    const { account, application: app, userId } = command;
    const user = hwidHashOf(keys.device, account, userId);
    const found = (await devicesOfUsers(devices, app, [user])).map(deviceOf);
    if (found.length === 0) throw Fault.argument('User not found');
    if (happensOnce(command)) {
      const last = found.reduce((a, b) => (lastActivity(a) >= lastActivity(b) ? a : b));
      // The key belongs to the user, so any device can decide on a repeat.
      return submit(commandFor(address(command, last.hwid), round, user));
    }
    const all = found.map(({ hwid }) => commandFor(address(command, hwid), round));
    const used = await usedKeys(
      db,
      all.flatMap(({ key }) => key ?? []),
      round.at,
    );
    all.forEach(({ identity, action, key = '' }, i) => {
      if (!used.has(key)) decide(identity, { own: found[i], siblings: [] }, action, undefined, round.at);
    });
    return Promise.all(all.map(submit));
  };

  return {
    async apply({ commands }) {
      const [sets, targets] = await Promise.all([
        tagSets(commands, tags),
        resolveContacts(
          commands.filter((command) => !isRegistration(command)),
          { devices, keys },
        ),
        owners.learn(commands.map(({ application }) => application)),
      ]);
      const direct = commands.map((command) =>
        isByUser(command) ? undefined : address(command, targets.get(command) ?? hwidOf(command)),
      );
      const at = new Date(clock.now());
      const succeed = (): DeviceReply => done;
      const refuse = (error: unknown): DeviceReply => refusal(error, log);
      // Cheaper than async, once per device.
      const applyOne = (command: DeviceCommand, one: Addressed | undefined): Promise<DeviceReply> => {
        try {
          if (!owners.owns(command.account, command.application)) throw Fault.argument(DENIED);
          const round: Round = { set: sets.get(command.account)!, at };
          return (one ? submit(commandFor(one, round)) : submitForUser(command, round)).then(succeed, refuse);
        } catch (error) {
          return Promise.resolve(refuse(error));
        }
      };
      return { replies: await Promise.all(commands.map((command, i) => applyOne(command, direct[i]))) };
    },
  };
}
