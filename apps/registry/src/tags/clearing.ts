import { setTimeout as delay } from 'node:timers/promises';
import { deviceLogOf, type TagDefinition, tagWithNumber } from '@tidings/audience';
import { type ExclusiveData, look } from '@tidings/coordination';
import type { LogWriter } from '@tidings/event-store';
import { type Clock, Fault } from '@tidings/kernel';
import { modelOf } from '@tidings/mongo';
import {
  accountsModel,
  applicationsModel,
  type DeviceDocument,
  deviceIndexes,
  DEVICES,
  TAG_MAX_AGE_MS,
} from '@tidings/registry-store';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { DeviceLogCommand, DeviceLogReply } from '../devices/commands/device-log-command.ts';

const PAGE = 500;

export interface TagClearingDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly write: AccountWriter;
  readonly logs: LogWriter<DeviceLogCommand, DeviceLogReply>;
  readonly exclusive: ExclusiveData | undefined;
}

export interface TagClearing {
  begin(): void;
  open(): Promise<string[]>;
  stop(): Promise<void>;
}

interface ClearingAccount {
  readonly _id: string;
  readonly clearing: readonly number[];
}

/** A later process resumes it; concurrent runs are safe. */
export function openTagClearing({ db, clock, log, write, logs, exclusive }: TagClearingDeps): TagClearing {
  const devices = db.collection<DeviceDocument>(DEVICES);
  const pending = (): Promise<ClearingAccount[]> =>
    modelOf(db, accountsModel)
      .find({ 'clearing.0': { $exists: true } }, { clearing: 1 })
      .lean<ClearingAccount[]>();

  const unset = async ({ _id: id, account, app: application, hwidHash, hwid }: DeviceDocument, tag: TagDefinition) => {
    const identity = { account, application, hwidHash, hwid };
    const action = { type: 'setTags', writes: [{ tag, operation: 'unset' }] } as const;
    try {
      await logs.submit(deviceLogOf(hwidHash), { identity, id, action, at: new Date(clock.now()) });
    } catch (error) {
      // The device was erased after it was read.
      if (!(error instanceof Fault) || error.kind !== 'argument') throw error;
    }
  };

  const clear = async (application: string, number: number, signal: AbortSignal): Promise<void> => {
    const filter = { app: application, 'tags.k': number };
    const projection = { account: 1, app: 1, hwidHash: 1, hwid: 1 };
    const options = { projection, hint: deviceIndexes.tags, limit: PAGE, batchSize: PAGE };
    while (!signal.aborted) {
      const found = await devices.find(filter, options).toArray();
      if (found.length === 0) return;
      await Promise.all(found.map((device) => unset(device, tagWithNumber(number))));
    }
  };

  const work = async (signal: AbortSignal): Promise<void> => {
    const accounts = await pending();
    // Older caches may still write values of the tag until then.
    if (accounts.length > 0) await delay(2 * TAG_MAX_AGE_MS);
    for (const { _id: account, clearing } of accounts) {
      const applications = await modelOf(db, applicationsModel)
        .find({ account }, { _id: 1 })
        .lean<{ readonly _id: string }[]>();
      for (const number of clearing) {
        for (const { _id: application } of applications) await clear(application, number, signal);
        if (signal.aborted) return;
        await write({ account, action: { type: 'clearTag', number }, at: new Date(clock.now()) });
      }
    }
  };
  const periodic = look(work, { name: 'clear deleted tags', log, exclusive });
  return {
    begin: () => void periodic.now(),
    open: async () =>
      (await pending()).flatMap(({ _id, clearing }) =>
        clearing.map((number) => `registry: values of deleted tag ${number} of account ${_id}`),
      ),
    stop: () => periodic.stop(),
  };
}
