import { keyFor } from '@tidings/audience';
import { type Commit, openLogs, type Problem } from '@tidings/event-store';
import { topicNames } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import type { Accounts, Devices, Operations } from '@tidings/rpc';
import { Closing, operationsOf, type ServiceDeps } from '@tidings/runtime';
import type { Broker, Incident } from '@tidings/streaming';
import { accountsLog, DEFAULT_ACCOUNT } from './accounts/log.ts';
import { configurationRecords } from './accounts/publish.ts';
import { accountsRpc } from './accounts/rpc.ts';
import { openAccountStore, prepareAccounts } from './accounts/store.ts';
import { accountWriter } from './accounts/writer.ts';
import { openOwners } from './applications/owners.ts';
import { applicationsRpc } from './applications/rpc.ts';
import { applyRpc } from './devices/apply.ts';
import { DEAD_TOKENS_GROUP, forgetDeadTokens } from './devices/dead-tokens.ts';
import { prepareDevices } from './devices/document.ts';
import { getTagsRpc } from './devices/get-tags.ts';
import { locateRpc } from './devices/locate.ts';
import { devicesLog } from './devices/log.ts';
import { openNotes } from './devices/notes.ts';
import { prepareRpc } from './devices/prepare.ts';
import { deviceRecords } from './devices/publish.ts';
import { openSequences } from './devices/sequences.ts';
import { keepTokensUnique, TOKEN_OWNERS_GROUP } from './devices/token-owners.ts';
import { tagsRpc } from './tags/rpc.ts';
import { openTags } from './tags/tags.ts';
import { tokensRpc } from './tokens/rpc.ts';

export interface RegistryDeps extends ServiceDeps {
  readonly broker: Broker;
}

export interface RegistryService {
  readonly accounts: Accounts;
  readonly devices: Devices;
  readonly operations: Operations;
  /** Answers what is under way and takes nothing more. */
  close(): Promise<void>;
}

const topicsOwned = [TOKEN_OWNERS_GROUP, DEAD_TOKENS_GROUP];

/** One line per partition that a group of this service has not read to its end. */
async function lagging(broker: Broker): Promise<string[]> {
  const lags = await Promise.all(topicsOwned.map(async (group) => ({ group, lag: await broker.lag(group) })));
  return lags.flatMap(({ group, lag }) =>
    lag
      .filter(({ committed, end }) => committed < end)
      .map(({ topic, partition }) => `${group}: ${topic} ${partition}`),
  );
}

/**
 * Accounts, applications, tokens, tags and devices: the owner of their logs and states, and of the rules that hold between devices
 * (architecture 2 and 4). The default account is made at the first start.
 */
export async function openRegistry({ db, clock, log, masterKey, broker }: RegistryDeps): Promise<RegistryService> {
  const closing = new Closing(log);
  try {
    await Promise.all([prepareAccounts(db), prepareDevices(db)]);
    const store = openAccountStore(db);
    const tags = openTags(store);
    const owners = openOwners(store);
    const keys = { device: keyFor(masterKey, 'device'), token: keyFor(masterKey, 'push-token') };
    const onProblem = ({ error, ...problem }: Problem): void => log.error({ ...problem, err: error }, 'log in trouble');
    const report = ({ error, ...incident }: Incident): void =>
      log.warn({ ...incident, err: error }, 'record not handled');

    const publishing = new Set<Promise<unknown>>();
    const track = (work: Promise<unknown>): void => {
      publishing.add(work);
      void work.catch((err: unknown) => log.error({ err })).finally(() => publishing.delete(work));
    };
    const publishDevices = (commit: Commit<DeviceEvent>): void =>
      track(broker.publish(topicNames.devices, deviceRecords(commit)));
    const publishAccounts = (commit: Commit<AccountEvent>): void =>
      track(
        (async () => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          for (const { topic, records } of await configurationRecords([commit], store))
            await broker.publish(topic, records);
        })(),
      );

    const accountLogs = closing.add(
      'accounts',
      openLogs(db, accountsLog, { clock, onProblem, committed: publishAccounts }),
      (logs) => logs.close(),
    );
    const deviceLogs = closing.add(
      'devices',
      openLogs(db, devicesLog(openSequences(db), openNotes(db)), { clock, onProblem, committed: publishDevices }),
      (logs) => logs.close(),
    );
    await Promise.all([accountLogs.fold(), deviceLogs.fold()]);

    const write = accountWriter(accountLogs);
    await write({
      account: DEFAULT_ACCOUNT,
      action: { type: 'createAccount', name: 'Default' },
      at: new Date(clock.now()),
    });

    const reaction = { db, clock, broker, logs: deviceLogs, report };
    closing.add('token owners', await keepTokensUnique(reaction), (subscription) => subscription.stop());
    closing.add('dead tokens', await forgetDeadTokens(reaction), (subscription) => subscription.stop());

    const devicesDeps = { db, clock, log, keys, owners, tags, store, logs: deviceLogs };
    return {
      accounts: {
        ...accountsRpc(write, clock),
        ...tokensRpc(store, write, { clock, tokenKey: keyFor(masterKey, 'access-token') }),
        ...applicationsRpc(store, write, { clock, db, masterKey, displayKey: keyFor(masterKey, 'display') }),
        ...tagsRpc(tags, write, clock),
      },
      devices: {
        ...applyRpc(devicesDeps),
        ...getTagsRpc(devicesDeps),
        ...locateRpc(devicesDeps),
        ...prepareRpc(devicesDeps),
      },
      operations: operationsOf(clock, async () => [
        ...(accountLogs.idle() ? [] : ['registry: commands to accounts']),
        ...(deviceLogs.idle() ? [] : ['registry: commands to devices']),
        ...(publishing.size === 0 ? [] : ['registry: unpublished commits']),
        ...(await lagging(broker)),
      ]),
      close: () => closing.close(),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}
