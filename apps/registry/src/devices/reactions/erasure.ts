import { deviceIdOf, redacted } from '@tidings/audience';
import type { CommitRedaction, PlacedEvent } from '@tidings/event-store';
import { chunkRecordKey } from '@tidings/delivery';
import { Erasure, partialDecoder, topicNames } from '@tidings/events';
import { PartialErasureEvent } from '@tidings/events/generated/tidings/events/v1/partial_device_events';
import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { chunkOf } from '@tidings/kernel';
import { transientAsFault } from '@tidings/mongo';
import { consume, type OutRecord, type Subscription } from '@tidings/streaming';
import type { Collection } from 'mongodb';
import { InboxStates } from '../../inbox/entry-states.ts';
import { type DeviceDocument, deviceIndexes, DEVICES } from '../storage/device-document.ts';
import { LINGER_MS, type ReactionDeps } from './token-owners.ts';

/** Consumer group of this reaction. */
export const ERASURE_GROUP = 'registry.erasure';

/** A position in a log up to which a device's events are redacted. */
interface Place {
  readonly position: number;
  readonly index: number;
}

type ErasedDevice = Pick<DeviceEvent, 'application' | 'hwidHash'>;

const isErasure = ({ event }: DeviceEvent): boolean => event?.$case === 'erased';

/**
 * The device's events in one commit since the last erasure before `upTo`, and the number of its previous commit; 0 if there is none, or an earlier
 * erasure has redacted it.
 */
function stepOf(
  found: readonly PlacedEvent<DeviceEvent>[],
  { application, hwidHash }: ErasedDevice,
  upTo: number,
): { readonly events: readonly PlacedEvent<DeviceEvent>[]; readonly previous: number } {
  const own = found.filter(
    ({ index, event }) =>
      index <= upTo &&
      event.application === application &&
      event.hwidHash === hwidHash &&
      event.event?.$case !== 'keyUsed',
  );
  const before = own.findLastIndex(({ index, event }) => index < upTo && isErasure(event));
  const events = own.slice(before + 1);
  return { events, previous: before < 0 ? Number(events[0]?.event.previous ?? 0n) : 0 };
}

/** Redacts an erased device's events, from its erasure back to its first registration. Idempotent. */
export async function redactEvents(
  commits: CommitRedaction<DeviceEvent>,
  log: string,
  erased: ErasedDevice,
  place: Place,
): Promise<void> {
  let upTo = place.index;
  for (let position = place.position; position > 0; upTo = Infinity) {
    const { events, previous } = stepOf(await commits.marked(log, position, erased.hwidHash), erased, upTo);
    const full = events.filter(({ event }) => event.hwid !== '');
    await commits.replace(
      log,
      position,
      full.map(({ index, event }) => ({ index, event: redacted(event) })),
    );
    position = previous;
  }
}

function erasureRecord({ account, application, seq, at }: PartialErasureEvent): OutRecord {
  const key = chunkRecordKey({ application, chunk: chunkOf(seq) });
  return { key, value: Erasure.encode({ account, application, seq, at }).finish() };
}

export interface ErasureDeps extends ReactionDeps {
  readonly commits: CommitRedaction<DeviceEvent>;
}

/**
 * Follows erasures in the log (architecture 4): within a second of a device's erasure, its events are redacted, and later self-reports and the
 * states of its own inbox are removed. Then other services are told, which keep data of devices under their numbers.
 */
export function redactErased({ db, broker, report, commits }: ErasureDeps): Promise<Subscription> {
  const devices: Collection<DeviceDocument> = db.collection(DEVICES);
  const inboxes = new InboxStates(db);
  const follow = async ({ application, hwidHash, stamp }: PartialErasureEvent): Promise<void> => {
    if (!stamp) return;
    await redactEvents(
      commits,
      stamp.log,
      { application, hwidHash },
      { position: Number(stamp.position), index: stamp.index },
    );
    await devices.updateOne({ _id: deviceIdOf(application, hwidHash), status: 0 }, { $unset: { self: '' } });
    // Its own inbox, unless its hwid is the user id of others, such as the address of an e-mail contact.
    const other = await devices.findOne(
      { app: application, 'owners.user': hwidHash, status: 1 },
      { projection: { _id: 1 }, hint: deviceIndexes.owners },
    );
    if (!other) await inboxes.remove(application, hwidHash);
  };
  return consume(broker, {
    group: ERASURE_GROUP,
    topics: { [topicNames.devices]: partialDecoder(PartialErasureEvent) },
    report,
    lingerMs: LINGER_MS,
    handler: (records) =>
      transientAsFault(async () => {
        const erased = records.flatMap(({ value }) => (value.erased ? [value] : []));
        for (const each of erased) await follow(each);
        if (erased.length > 0) await broker.publish(topicNames.erasures, erased.map(erasureRecord));
      }),
  });
}
