import { type Application, deviceLogOf } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import type { Clock } from '@tidings/kernel';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/store.ts';
import type { AccountWriter } from '../accounts/writer.ts';
import type { DeviceLogCommand, DeviceLogReply } from '../devices/command.ts';
import { findLeftovers } from './leftovers.ts';
import { type DeviceDocument, deviceIndexes, DEVICES } from '../devices/document.ts';

export interface PurgeParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly store: Pick<AccountStore, 'unpurged'>;
  readonly write: AccountWriter;
  readonly logs: LogWriter<DeviceLogCommand, DeviceLogReply>;
}

/** What removes what deleted applications leave. */
export interface Purge {
  /** Erases the devices of deleted applications, and what they have in the configuration of their account. Goes on where another process stopped; several may do it at once. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** One line per deleted application that has something left. */
  readonly open: () => Promise<string[]>;
}

const AT_ONCE = 500;
/**
 * How long devices may still be registered by those who do not know of the deletion: for 1 s where the application is known, and a command
 * comes into effect 5 s after its arrival at the latest.
 */
const LATE_MS = 10_000;

/** Removes in the background what belongs to deleted applications (R-B2). */
export function openPurge({ db, clock, store, write, logs }: PurgeParts): Purge {
  const devices = db.collection<DeviceDocument>(DEVICES);

  const devicesOf = (app: string, after: number, count: number): Promise<DeviceDocument[]> =>
    devices
      .find({ app, seq: { $gt: after }, status: 1 }, { hint: deviceIndexes.seq })
      .project<DeviceDocument>({ account: 1, app: 1, seq: 1, person: 1, hwid: 1 })
      .sort({ seq: 1 })
      .limit(count)
      .toArray();

  const erase = ({ _id: id, account, app: application, person, hwid }: DeviceDocument): Promise<unknown> => {
    const identity = { account, application, person, hwid };
    const at = new Date(clock.now());
    return logs.submit(deviceLogOf(person), { identity, id, action: { type: 'erase' }, at });
  };

  const purge = async ({ account, code, deletedAt }: Application, signal: AbortSignal): Promise<void> => {
    const startedAt = clock.now();
    for (let found = await findLeftovers(db, code); found; found = await findLeftovers(db, code)) {
      if (signal.aborted) return;
      const action = { type: 'clearLeftovers', application: code, leftovers: found } as const;
      await write({ account, action, at: new Date(clock.now()) });
    }
    let last = -1;
    for (let found = await devicesOf(code, last, AT_ONCE); found.length > 0;) {
      if (signal.aborted) return;
      await Promise.all(found.map(erase));
      last = found.at(-1)!.seq;
      found = await devicesOf(code, last, AT_ONCE);
    }
    if (startedAt - deletedAt!.getTime() < LATE_MS) return;
    await write({ account, action: { type: 'purgeApplication', application: code }, at: new Date(clock.now()) });
  };

  return {
    async run(signal) {
      for (const application of await store.unpurged()) await purge(application, signal);
    },
    async open() {
      const deleted = await store.unpurged();
      const left = deleted.map(async ({ code }) => {
        const [devices, leftovers] = await Promise.all([devicesOf(code, -1, 1), findLeftovers(db, code)]);
        return devices.length > 0 || leftovers ? [`registry: what deleted ${code} has left`] : [];
      });
      return (await Promise.all(left)).flat();
    },
  };
}
