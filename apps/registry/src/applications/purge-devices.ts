import { type Application, deviceLogOf } from '@tidings/audience';
import { inTurn } from '@tidings/coordination';
import type { CommitRedaction, CommitReader, LogWriter } from '@tidings/event-store';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Geozone } from '@tidings/events/generated/tidings/events/v1/geozones';
import { Preset } from '@tidings/events/generated/tidings/events/v1/presets';
import type { Clock } from '@tidings/kernel';
import type { Db } from 'mongodb';
import { accountLogOf } from '../accounts/account-log.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { DeviceLogCommand, DeviceLogReply } from '../devices/commands/device-log-command.ts';
import { type DeviceDocument, deviceIndexes, DEVICES } from '../devices/storage/device-document.ts';
import { SEQUENCES } from '../devices/storage/sequences.ts';
import { removeBadgesOf } from '../fanout/plan/badge-blocks.ts';
import { removePagesOf } from '../fanout/plan/counted-pages.ts';
import { visitLogOf } from '../geozones/visit-log.ts';
import { InboxStates } from '../inbox/entry-states.ts';
import { findOrphans, removeCleared } from './orphans.ts';

export interface PurgeDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly store: Pick<AccountStore, 'unpurged'>;
  readonly write: AccountWriter;
  readonly logs: LogWriter<DeviceLogCommand, DeviceLogReply>;
  readonly commits: {
    readonly accounts: CommitRedaction<AccountEvent>;
    readonly plans: Pick<CommitReader<never>, 'removeLogs'>;
    readonly visits: Pick<CommitReader<never>, 'removeLogs'>;
  };
}

/** Removes the data of deleted applications. */
export interface Purge {
  /** Erases the devices of deleted applications and their configuration in the account. Resumes after a crash; concurrent runs are safe. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** One line per deleted application that is not purged yet. */
  readonly open: () => Promise<string[]>;
}

const AT_ONCE = 500;
/**
 * Time in which processes that do not know of the deletion may still register devices: applications are cached for 1 s, and a command takes effect at
 * most 5 s after its arrival.
 */
const LATE_MS = 10_000;

type Change = NonNullable<AccountEvent['event']>;

/** The change without its data on an application: settings, secrets, contents, test devices; undefined if it has none. */
function withoutContent(event: Change | undefined, application: string): Change | undefined {
  switch (event?.$case) {
    case 'platformConfigured':
      return event.value.application === application
        ? { ...event, value: { ...event.value, settings: {}, sealed: {} } }
        : undefined;
    case 'platformResealed':
      return event.value.application === application ? { ...event, value: { ...event.value, sealed: {} } } : undefined;
    case 'testDeviceSet':
      return event.value.application === application
        ? { ...event, value: { ...event.value, pushToken: '', name: '', description: '' } }
        : undefined;
    case 'presetCreated': {
      const { preset } = event.value;
      if (preset?.application !== application) return undefined;
      return { ...event, value: { ...event.value, preset: Preset.fromPartial({ code: preset.code, application }) } };
    }
    case 'geozoneAdded':
    case 'geozoneChanged': {
      const { zone } = event.value;
      if (zone?.application !== application) return undefined;
      return { ...event, value: { ...event.value, zone: Geozone.fromPartial({ id: zone.id, application }) } };
    }
    default:
      return undefined;
  }
}

/** Redacts a deleted application's contents and secrets in the commits of its account. */
async function redactCommits(
  commits: CommitRedaction<AccountEvent>,
  log: string,
  application: string,
  signal: AbortSignal,
): Promise<void> {
  for (let after = 0; !signal.aborted;) {
    const { last, marked } = await commits.markedAfter(log, after, application, AT_ONCE);
    if (last === undefined) return;
    for (const { position, events } of marked) {
      const redacted = events.flatMap(({ index, event }) => {
        const changed = withoutContent(event.event, application);
        return changed ? [{ index, event: { ...event, event: changed } }] : [];
      });
      await commits.replace(log, position, redacted);
    }
    after = last;
  }
}

/** Removes the data of deleted applications in the background (R-B2). */
export function openPurge({ db, clock, store, write, logs, commits }: PurgeDeps): Purge {
  const devices = db.collection<DeviceDocument>(DEVICES);

  const devicesOf = (app: string, after: number, count: number): Promise<DeviceDocument[]> =>
    devices
      .find({ app, seq: { $gt: after }, status: 1 }, { hint: deviceIndexes.seq })
      .project<DeviceDocument>({ account: 1, app: 1, seq: 1, hwidHash: 1, hwid: 1 })
      .sort({ seq: 1 })
      .limit(count)
      .toArray();

  const erase = ({ _id: id, account, app: application, hwidHash, hwid }: DeviceDocument): Promise<unknown> => {
    const identity = { account, application, hwidHash, hwid };
    const at = new Date(clock.now());
    return logs.submit(deviceLogOf(hwidHash), { identity, id, action: { type: 'erase' }, at });
  };

  /** Removes the records of erased devices, and redacts the logs. */
  const removeRest = async (app: string, account: string, signal: AbortSignal): Promise<void> => {
    for (let more = true; more && !signal.aborted;) {
      const erased = { app, status: 0 } as const;
      const found = await devices
        .find(erased, { hint: deviceIndexes.seq, projection: { _id: 1 }, limit: AT_ONCE })
        .toArray();
      await devices.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      more = found.length === AT_ONCE;
    }
    await removeCleared(db, account, app);
    await db.collection<{ _id: string }>(SEQUENCES).deleteOne({ _id: app });
    await new InboxStates(db).removeAll(app);
    await commits.plans.removeLogs(`plans-${app}-`, signal);
    await removePagesOf(db, app);
    await removeBadgesOf(db, app);
    await commits.visits.removeLogs(visitLogOf(app), signal);
    await redactCommits(commits.accounts, accountLogOf(account), app, signal);
  };

  const purge = async ({ account, code, deletedAt }: Application, signal: AbortSignal): Promise<void> => {
    const startedAt = clock.now();
    for (let found = await findOrphans(db, code); found; found = await findOrphans(db, code)) {
      if (signal.aborted) return;
      const action = { type: 'clearOrphans', application: code, orphans: found } as const;
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
    await removeRest(code, account, signal);
    if (signal.aborted) return;
    await write({ account, action: { type: 'purgeApplication', application: code }, at: new Date(clock.now()) });
  };

  return {
    run: async (signal) => inTurn(await store.unpurged(), purge, signal),
    async open() {
      const deleted = await store.unpurged();
      const left = deleted.map(async ({ code }) => {
        const [devices, orphans] = await Promise.all([devicesOf(code, -1, 1), findOrphans(db, code)]);
        return devices.length > 0 || orphans ? [`registry: what deleted ${code} has left`] : [];
      });
      return (await Promise.all(left)).flat();
    },
  };
}
