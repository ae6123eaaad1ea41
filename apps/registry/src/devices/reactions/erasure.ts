import { deviceIdOf, redacted } from '@tidings/audience';
import type { CommitRedaction, IndexedEvent } from '@tidings/event-store';
import { chunkRecordKey } from '@tidings/delivery';
import { Erasure, partialDecoder, topicNames } from '@tidings/events';
import { PartialErasureEvent } from '@tidings/events/generated/tidings/events/v1/partial_device_events';
import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { chunkOf } from '@tidings/kernel';
import { transientAsFault } from '@tidings/mongo';
import { type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import { consume, type OutRecord, type Subscription } from '@tidings/streaming';
import type { Collection } from 'mongodb';
import { inboxId, InboxStates } from '../../entry-states/entry-states.ts';
import { LINGER_MS, type ReactionDeps } from './token-owners.ts';

export const ERASURE_GROUP = 'registry.erasure';

export interface ErasedDevice extends Pick<DeviceEvent, 'application' | 'hwidHash'> {
  readonly log: string;
  readonly position: number;
  readonly index?: number;
}

const isErasure = ({ event }: DeviceEvent): boolean => event?.$case === 'erased';

/** The previous commit is 0 at the first or after an earlier redaction. */
function stepOf(
  own: readonly IndexedEvent<DeviceEvent>[],
  upTo: number,
): { readonly events: readonly IndexedEvent<DeviceEvent>[]; readonly previous: number } {
  const until = own.filter(({ index }) => index <= upTo);
  const before = until.findLastIndex(({ index, event }) => index < upTo && isErasure(event));
  const events = until.slice(before + 1);
  return { events, previous: before < 0 ? Number(events[0]?.event.previous ?? 0n) : 0 };
}

const lastErasureIn = (own: readonly IndexedEvent<DeviceEvent>[]): number =>
  own.findLast(({ event }) => isErasure(event))?.index ?? Infinity;

const commitKey = ({ log, position }: { readonly log: string; readonly position: number }): string =>
  `${log}/${position}`;

/** Idempotent. */
export async function redactEvents(
  commits: CommitRedaction<DeviceEvent>,
  erased: readonly ErasedDevice[],
): Promise<void> {
  for (let open = erased; open.length > 0;) {
    const byCommit = Map.groupBy(open, commitKey);
    const marked = [...byCommit.values()].map((devices) => ({
      log: devices[0]!.log,
      position: devices[0]!.position,
      texts: devices.map(({ hwidHash }) => hwidHash),
    }));
    const earlier: ErasedDevice[] = [];
    const redactions = (await commits.marked(marked)).map(({ log, position, events }) => {
      const byDevice = Map.groupBy(
        events.filter(({ event }) => event.event?.$case !== 'keyUsed'),
        ({ event }) => deviceIdOf(event.application, event.hwidHash),
      );
      const own = byCommit.get(commitKey({ log, position }))!.flatMap((device) => {
        const deviceEvents = byDevice.get(deviceIdOf(device.application, device.hwidHash)) ?? [];
        const step = stepOf(deviceEvents, device.index ?? lastErasureIn(deviceEvents));
        if (step.previous > 0) earlier.push({ ...device, position: step.previous, index: Infinity });
        return step.events.filter(({ event }) => event.hwid !== '');
      });
      return { log, position, events: own.map(({ index, event }) => ({ index, event: redacted(event) })) };
    });
    await commits.replace(redactions);
    open = earlier;
  }
}

function erasureRecord({ account, application, seq, at }: PartialErasureEvent): OutRecord {
  const key = chunkRecordKey({ application, chunk: chunkOf(seq) });
  return { key, value: Erasure.encode({ account, application, seq, at }).finish() };
}

export interface ErasureDeps extends ReactionDeps {
  readonly commits: CommitRedaction<DeviceEvent>;
}

/** Redacts the events, removes self-reports and the own inbox, then tells other services, within a second. */
export function redactErased({ db, broker, report, commits }: ErasureDeps): Promise<Subscription> {
  const devices: Collection<DeviceDocument> = db.collection(DEVICES);
  const inboxes = new InboxStates(db);
  /** Other devices may have its hwid as user id, such as an e-mail address. */
  const removeInboxes = async (erased: readonly PartialErasureEvent[]): Promise<void> => {
    const ids = new Map(erased.map((device) => [inboxId(device.application, device.hwidHash), device]));
    const present = await inboxes.read([...ids.keys()]);
    const abandoned = [...present.keys()].map(async (id) => {
      const { application: app, hwidHash } = ids.get(id)!;
      const other = await devices.findOne(
        { app, 'owners.user': hwidHash, status: 1 },
        { projection: { _id: 1 }, hint: deviceIndexes.owners },
      );
      if (!other) await inboxes.remove(app, hwidHash);
    });
    await Promise.all(abandoned);
  };
  const follow = async (erased: readonly PartialErasureEvent[]): Promise<void> => {
    await redactEvents(
      commits,
      erased.flatMap(({ application, hwidHash, stamp }) =>
        stamp ? [{ application, hwidHash, log: stamp.log, position: Number(stamp.position), index: stamp.index }] : [],
      ),
    );
    const ids = erased.map(({ application, hwidHash }) => deviceIdOf(application, hwidHash));
    await devices.updateMany({ _id: { $in: ids }, status: 0 }, { $unset: { self: '' } });
    await removeInboxes(erased);
    await broker.publish(topicNames.erasures, erased.map(erasureRecord));
  };
  return consume(broker, {
    group: ERASURE_GROUP,
    topics: { [topicNames.devices]: partialDecoder(PartialErasureEvent) },
    report,
    lingerMs: LINGER_MS,
    handler: (records) =>
      transientAsFault(async () => {
        const erased = records.flatMap(({ value }) => (value.erased ? [value] : []));
        if (erased.length > 0) await follow(erased);
      }),
  });
}
