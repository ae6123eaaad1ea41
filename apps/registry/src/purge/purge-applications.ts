import { type Application, deviceLogOf } from '@tidings/audience';
import { sideBySide } from '@tidings/coordination';
import { idsBelow } from '@tidings/delivery';
import type { CommitRedaction, CommitReader, LogWriter } from '@tidings/event-store';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Geozone } from '@tidings/events/generated/tidings/events/v1/geozones';
import { Preset } from '@tidings/events/generated/tidings/events/v1/presets';
import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import type { Clock } from '@tidings/kernel';
import { BADGE_BLOCKS, COUNTED_PAGES, type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import type { OpenDeletion } from '@tidings/runtime';
import type { Db } from 'mongodb';
import { accountLogOf } from '../accounts/account-log.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { DeviceLogCommand, DeviceLogReply } from '../devices/commands/device-log-command.ts';
import { redactEvents } from '../devices/reactions/erasure.ts';
import { SEQUENCES } from '../devices/storage/sequences.ts';
import { visitLogOf } from '../geozones/visit-log.ts';
import { InboxStates } from '../entry-states/entry-states.ts';
import { findOrphans, removeCleared } from './orphans.ts';

export interface PurgeDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly store: Pick<AccountStore, 'unpurged'>;
  readonly write: AccountWriter;
  readonly logs: LogWriter<DeviceLogCommand, DeviceLogReply>;
  readonly commits: {
    readonly accounts: CommitRedaction<AccountEvent>;
    readonly devices: CommitRedaction<DeviceEvent>;
    readonly plans: Pick<CommitReader<never>, 'removeLogs'>;
    readonly visits: Pick<CommitReader<never>, 'removeLogs'>;
  };
}

export interface Purge {
  /** Resumes after a crash; concurrent runs are safe. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly open: () => Promise<OpenDeletion[]>;
}

const AT_ONCE = 1000;
const COMMITS_AT_ONCE = 500;
/** Applications are cached for 1 s, and a command takes effect at most 5 s after its arrival. */
const LATE_MS = 10_000;

type Change = NonNullable<AccountEvent['event']>;

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

async function* redactAccount(
  commits: CommitRedaction<AccountEvent>,
  log: string,
  application: string,
): AsyncGenerator<void> {
  for (let after = 0; ;) {
    const { last, marked } = await commits.markedAfter(log, after, application, COMMITS_AT_ONCE);
    if (last === undefined) return;
    const redacted = marked.map(({ events, ...place }) => ({
      ...place,
      events: events.flatMap(({ index, event }) => {
        const changed = withoutContent(event.event, application);
        return changed ? [{ index, event: { ...event, event: changed } }] : [];
      }),
    }));
    await commits.replace(redacted);
    after = last;
    yield;
  }
}

export function openPurge({ db, clock, store, write, logs, commits }: PurgeDeps): Purge {
  const devices = db.collection<DeviceDocument>(DEVICES);

  const devicesOf = (app: string, status: 0 | 1, after: number): Promise<DeviceDocument[]> =>
    devices
      .find({ app, seq: { $gt: after }, status }, { hint: deviceIndexes.seq, batchSize: AT_ONCE, limit: AT_ONCE })
      .project<DeviceDocument>({ account: 1, app: 1, seq: 1, hwidHash: 1, rev: 1 })
      .sort({ seq: 1 })
      .toArray();

  const erase = ({ _id: id, account, app: application, hwidHash }: DeviceDocument): Promise<unknown> => {
    const identity = { account, application, hwidHash, hwid: '' };
    const action = { type: 'erase', withApplication: true } as const;
    return logs.submit(deviceLogOf(hwidHash), { identity, id, action, at: new Date(clock.now()) });
  };

  const redact = (erased: readonly DeviceDocument[]): Promise<void> =>
    redactEvents(
      commits.devices,
      erased.map(({ app: application, hwidHash, rev }) => ({
        application,
        hwidHash,
        log: deviceLogOf(hwidHash),
        position: rev,
      })),
    );

  const remove = async (erased: readonly DeviceDocument[]): Promise<void> => {
    await devices.deleteMany({ _id: { $in: erased.map(({ _id }) => _id) }, status: 0 });
  };

  const isLate = ({ deletedAt }: Application): boolean => clock.now() - deletedAt!.getTime() >= LATE_MS;

  const eraseDevices = async function* (application: Application): AsyncGenerator<void> {
    for (let last = -1; ;) {
      const found = await devicesOf(application.code, 1, last);
      if (found.length === 0) return;
      const mayRemove = isLate(application);
      await Promise.all(found.map(erase));
      const ids = found.map(({ _id }) => _id);
      const erased = await devices
        .find({ _id: { $in: ids }, status: 0 }, { projection: { app: 1, hwidHash: 1, rev: 1 }, batchSize: AT_ONCE })
        .toArray();
      await redact(erased);
      if (mayRemove) await remove(erased);
      last = found.at(-1)!.seq;
      yield;
    }
  };

  /** Redacts once more: a process may have died in between. */
  const removeErased = async function* (app: string): AsyncGenerator<void> {
    for (let last = -1; ;) {
      const found = await devicesOf(app, 0, last);
      if (found.length === 0) return;
      await redact(found);
      await remove(found);
      last = found.at(-1)!.seq;
      yield;
    }
  };

  const purge = async function* (application: Application, signal: AbortSignal): AsyncGenerator<void> {
    const { account, code } = application;
    const isLast = isLate(application);
    for (let found = await findOrphans(db, code); found; found = await findOrphans(db, code)) {
      const action = { type: 'clearOrphans', application: code, orphans: found } as const;
      await write({ account, action, at: new Date(clock.now()) });
      yield;
    }
    yield* eraseDevices(application);
    if (!isLast) return;
    yield* removeErased(code);
    await removeCleared(db, account, code);
    await db.collection<{ _id: string }>(SEQUENCES).deleteOne({ _id: code });
    await new InboxStates(db).removeAll(code);
    yield;
    await commits.plans.removeLogs(`plans-${code}-`, signal);
    yield;
    // The logs must be gone: they would write these states again.
    for (const name of [COUNTED_PAGES, BADGE_BLOCKS]) {
      await db.collection<{ _id: string }>(name).deleteMany({ _id: idsBelow(code) });
    }
    yield;
    await commits.visits.removeLogs(visitLogOf(code), signal);
    yield* redactAccount(commits.accounts, accountLogOf(account), code);
    if (signal.aborted) return;
    await write({ account, action: { type: 'purgeApplication', application: code }, at: new Date(clock.now()) });
  };

  const read = () => store.unpurged();
  return {
    run: (signal) => sideBySide({ read, keyOf: ({ code }) => code, work: purge }, signal),
    async open() {
      const left = (await read()).map(async (application): Promise<OpenDeletion[]> => {
        const { code: app } = application;
        const options = { hint: deviceIndexes.seq, projection: { _id: 1 } };
        const isDue =
          isLate(application) ||
          (await devices.findOne({ app, status: 1 }, options)) !== null ||
          (await findOrphans(db, app)) !== undefined;
        if (!isDue) return [];
        const count = await devices.countDocuments({ app }, { hint: deviceIndexes.seq });
        return [{ service: 'registry', application: app, devices: BigInt(count) }];
      });
      return (await Promise.all(left)).flat();
    },
  };
}
