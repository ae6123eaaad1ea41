import { type EnteredZone, cooldownsOf, sendingZones, type Visitor } from '@tidings/audience';
import type { Commit, DocumentAddress, LogDefinition, RelayedRecord } from '@tidings/event-store';
import { type MessageAccepted, topicNames, VisitEvent } from '@tidings/events';
import type { Db } from 'mongodb';

export const COOLDOWNS = 'cooldowns';

/** How long the beginning of a cooldown is known at least: a zone's may be lengthened meanwhile. */
const KEPT_SECONDS = 365 * 86_400;

/** A zone that a device is in, with what it would send. */
export interface SendingZone extends EnteredZone {
  /** Code of the message that the send joins if there is one. */
  readonly message: string;
  readonly accepted: MessageAccepted;
  /** "" without one. */
  readonly linkToShorten: string;
}

/** A device has entered zones. */
export interface Visit extends Visitor {
  readonly account: string;
  readonly application: string;
  /** Nearest first. */
  readonly zones: readonly SendingZone[];
  readonly at: Date;
}

/** When a cooldown began. */
interface CooldownState {
  readonly at: Date;
  readonly until: Date;
}

const cooldownAt = (id: string): DocumentAddress => ({ collection: COOLDOWNS, id });

/** One log per application: what two devices of a user are sent is decided in order, whichever process they report to. */
export const visitLogOf = (application: string): string => `visits-${application}`;

/** What zones send to the devices that enter them, and the cooldowns that this begins (R-F4). */
export const visitsLog: LogDefinition<Visit, VisitEvent, CooldownState, void> = {
  category: 'visits',
  needs: (visit) => ({ ids: visit.zones.flatMap((zone) => cooldownsOf(zone, visit)).map(({ id }) => cooldownAt(id)) }),
  decide({ account, application, zones, at, ...visitor }, view) {
    const lastSend = (id: string): Date | undefined => view.get(cooldownAt(id))?.at;
    const events = sendingZones(zones, visitor, lastSend, at).map(({ entered, cooldowns }): VisitEvent => {
      const { zone, message, accepted, linkToShorten } = entered;
      const seconds = Math.max(KEPT_SECONDS, ...cooldowns.map((each) => each.seconds));
      const value = {
        zone: zone.id,
        cooldowns: cooldowns.map(({ id }) => id),
        until: new Date(at.getTime() + seconds * 1000),
        message,
        accepted,
        linkToShorten,
      };
      return { stamp: undefined, account, application, at, event: { $case: 'entered', value } };
    });
    return { events, reply: undefined };
  },
  addresses: ({ event }) => (event?.$case === 'entered' ? event.value.cooldowns.map(cooldownAt) : []),
  evolve(state, { at, event }) {
    if (event?.$case !== 'entered') throw new Error(`visits: no fold of ${event?.$case}`);
    return { at: at!, until: event.value.until! };
  },
  encode: (event) => VisitEvent.encode(event).finish(),
  decode: (bytes) => VisitEvent.decode(bytes),
  toDocument: ({ at, until }) => ({ at, until }),
  fromDocument: (document) => document as unknown as CooldownState,
};

/** What a commit says on `tidings.visits`. */
export const visitRecords = ({ log, n, events }: Commit<VisitEvent>): RelayedRecord[] =>
  events.map((event, index) => ({
    topic: topicNames.visits,
    key: event.application,
    value: VisitEvent.encode({ ...event, stamp: { log, n: BigInt(n), index } }).finish(),
  }));

/** Makes the index of cooldowns where it is missing. */
export async function prepareVisits(db: Db): Promise<void> {
  // Whether a cooldown still counts is decided by the service's clock; this only clears away.
  await db.collection(COOLDOWNS).createIndexes([{ name: 'until', key: { until: 1 }, expireAfterSeconds: 0 }]);
}
