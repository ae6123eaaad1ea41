import { type EnteredZone, cooldownsOf, sendingZones, type Visitor } from '@tidings/audience';
import {
  type Commit,
  type DocumentAddress,
  fieldsOf,
  type LogDefinition,
  type RelayedRecord,
} from '@tidings/event-store';
import { type MessageAccepted, topicNames, VisitEvent } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { KEY_LIFETIME_MS, keyAt, type UsedKey } from '../devices/commands/device-decisions.ts';
import { KEYS } from '../devices/storage/key-collection.ts';

export const COOLDOWNS = 'cooldowns';

/** A cooldown may be extended meanwhile. */
export const KEPT_SECONDS = 365 * 86_400;

export interface SendingZone extends EnteredZone {
  readonly message: string;
  readonly accepted: MessageAccepted;
  readonly linkToShorten: string;
}

export interface Visit extends Visitor {
  readonly account: string;
  readonly application: string;
  readonly zones: readonly SendingZone[];
  readonly at: Date;
  readonly key: string | undefined;
}

export interface CooldownState {
  readonly at: Date;
  readonly until: Date;
}

type VisitState = CooldownState | UsedKey;

const cooldownAt = (id: string): DocumentAddress => ({ collection: COOLDOWNS, id });

/** One log per application decides sends to two devices of a user in order. */
export const visitLogOf = (application: string): string => `visits-${application}`;

export const visitsLog: LogDefinition<Visit, VisitEvent, VisitState, void> = {
  category: 'visits',
  needs({ zones, key, ...visitor }) {
    const cooldowns = zones.flatMap((zone) => cooldownsOf(zone, visitor)).map(({ id }) => cooldownAt(id));
    return { ids: key === undefined ? cooldowns : [keyAt(key), ...cooldowns] };
  },
  decide({ account, application, zones, at, key, ...visitor }, view) {
    const used = key === undefined ? undefined : view.get(keyAt(key));
    if (used && used.until > at) return { events: [], reply: undefined };
    const lastSend = (id: string): Date | undefined => (view.get(cooldownAt(id)) as CooldownState | undefined)?.at;
    const sends = sendingZones(zones, visitor, lastSend, at).map(({ entered, cooldowns }): VisitEvent => {
      const { zone, message, accepted, linkToShorten } = entered;
      const seconds = Math.max(KEPT_SECONDS, ...cooldowns.map((each) => each.seconds));
      const value = {
        zone: zone.id,
        cooldowns: cooldowns.map(({ id }) => id),
        until: new Date(at.getTime() + seconds * 1000),
        message,
        accepted,
        linkToShorten,
        heldBack: visitor.isExcluded ? visitor.hwidHash : '',
      };
      return { stamp: undefined, account, application, at, event: { $case: 'entered', value } };
    });
    if (key === undefined) return { events: sends, reply: undefined };
    const value = { key, until: new Date(at.getTime() + KEY_LIFETIME_MS) };
    const keyUsed: VisitEvent = { stamp: undefined, account, application, at, event: { $case: 'keyUsed', value } };
    return { events: [...sends, keyUsed], reply: undefined };
  },
  addresses({ event }) {
    if (event?.$case === 'keyUsed') return [keyAt(event.value.key)];
    return event?.$case === 'entered' ? event.value.cooldowns.map(cooldownAt) : [];
  },
  evolve(_, { at, event }) {
    switch (event?.$case) {
      case 'entered':
        return { at: at!, until: event.value.until! };
      case 'keyUsed':
        return { until: event.value.until! };
      case undefined:
        throw Fault.bug('an empty event of visits');
    }
  },
  encode: (event) => VisitEvent.encode(event).finish(),
  decode: (bytes) => VisitEvent.decode(bytes),
  isKnown: ({ event }) => event !== undefined,
  toDocument: (state) => ({ ...('at' in state ? { at: state.at } : {}), until: state.until }),
  fields: {
    [COOLDOWNS]: fieldsOf<CooldownState>({ at: true, until: true }),
    [KEYS]: fieldsOf<UsedKey>({ until: true, outcome: true }),
  },
  fromDocument: (document) => document as unknown as VisitState,
};

export const visitRecords = ({ log, position, events }: Commit<VisitEvent>): RelayedRecord[] =>
  events.flatMap((event, index) =>
    event.event?.$case === 'keyUsed'
      ? []
      : {
          topic: topicNames.visits,
          key: event.application,
          value: VisitEvent.encode({ ...event, stamp: { log, position: BigInt(position), index } }).finish(),
        },
  );
