import {
  decide,
  type Device,
  type DeviceAction,
  deviceIdOf,
  type SelfReportedState,
  evolve,
  isSharedTag,
  newPlatformIn,
} from '@tidings/audience';
import type { Decision, DocumentAddress, SelfReport, StateView } from '@tidings/event-store';
import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { Fault } from '@tidings/kernel';
import { DEVICES } from '@tidings/registry-store';
import type { BatchOutcome, DeviceLogBatch, DeviceLogCommand, DeviceLogReply } from './device-log-command.ts';
import { KEYS } from '../storage/key-collection.ts';

export const BLACKLISTED = 'Email address is blacklisted';

export const KEY_LIFETIME_MS = 24 * 3_600_000;
/** Longer than any attempt at the batch. */
export const BATCH_LIFETIME_MS = 7 * KEY_LIFETIME_MS;

export interface UsedKey {
  readonly until: Date;
  readonly outcome?: BatchOutcome;
}

export type DeviceState = Device | UsedKey;

export interface GroupContext {
  readonly seqs: ReadonlyMap<string, number>;
  readonly selfReports: ReadonlyMap<string, SelfReportedState>;
  readonly blacklisted: ReadonlySet<DeviceLogCommand>;
}

export type View = StateView<DeviceState>;

type DeviceDecision = Decision<DeviceEvent, DeviceLogReply>;

export const deviceAt = (id: string): DocumentAddress => ({ collection: DEVICES, id });
export const keyAt = (id: string): DocumentAddress => ({ collection: KEYS, id });

export const device = (view: View, id: string): Device | undefined => view.get(deviceAt(id)) as Device | undefined;

export const writesOf = (action: DeviceAction) => ('writes' in action ? action.writes : []);

/** A new device takes over the data that siblings with its hwid share. */
export const concernsSiblings = (action: DeviceAction): boolean =>
  newPlatformIn(action) !== undefined || writesOf(action).some(({ tag }) => isSharedTag(tag.number));

function siblingsOf(view: View, { identity: { hwidHash }, id }: DeviceLogCommand): Device[] {
  return view
    .find(DEVICES, hwidHash)
    .filter((found) => found.id !== id)
    .map(({ state }) => state as Device);
}

const withSelfReported = (state: Device | undefined, self: SelfReportedState | undefined): Device | undefined =>
  state && self ? { ...state, self } : state;

function usedKey(view: View, key: string | undefined, at: Date): UsedKey | undefined {
  if (key === undefined) return undefined;
  const used = view.get(keyAt(key)) as UsedKey | undefined;
  return used && used.until > at ? used : undefined;
}

const decideOn = (command: DeviceLogCommand, view: View, { seqs, selfReports }: GroupContext) => {
  const { identity, id, action, at } = command;
  const own = withSelfReported(device(view, id), selfReports.get(id));
  const siblings = concernsSiblings(action) ? siblingsOf(view, command) : [];
  return { own, decision: decide(identity, { own, siblings }, action, seqs.get(id), at) };
};

const selfReportAt = ({ id, ...selfReport }: { readonly id: string } & Omit<SelfReport, 'address'>): SelfReport => ({
  address: deviceAt(id),
  ...selfReport,
});

function keyUsed({ identity, key, at }: DeviceLogCommand, seq: number): DeviceEvent {
  const until = new Date(at.getTime() + KEY_LIFETIME_MS);
  const event = { $case: 'keyUsed', value: { key: key!, until } } as const;
  // This event is unlinked from its device, so it must not identify it.
  return { stamp: undefined, ...identity, hwid: '', seq, at, previous: 0n, event };
}

const revOf = (state: Device | undefined): number => (state as { readonly rev?: number } | undefined)?.rev ?? 0;

const chained = (events: readonly DeviceEvent[], view: View): readonly DeviceEvent[] =>
  events.map((event) => {
    const rev = revOf(device(view, deviceIdOf(event.application, event.hwidHash)));
    return rev === 0 ? event : { ...event, previous: BigInt(rev) };
  });

/** An existing contact stays (R-E5). */
function refuseBlacklisted(command: DeviceLogCommand, { blacklisted }: GroupContext): void {
  if (blacklisted.has(command)) throw Fault.argument(BLACKLISTED);
}

export function decideCommand(command: DeviceLogCommand, view: View, context: GroupContext): DeviceDecision {
  if (usedKey(view, command.key, command.at)) return { events: [], reply: {} };
  refuseBlacklisted(command, context);
  const { own, decision } = decideOn(command, view, context);
  const chainedEvents = chained(decision.events, view);
  const events = command.key === undefined ? chainedEvents : [...chainedEvents, keyUsed(command, own?.seq ?? 0)];
  const reply = decision.keptSince === undefined ? {} : { keptSince: decision.keptSince };
  return decision.selfReports.length === 0
    ? { events, reply }
    : { events, reply, selfReports: decision.selfReports.map(selfReportAt) };
}

/** Later entries see the effects of earlier ones. */
function withApplied(view: View): View & { apply(events: readonly DeviceEvent[]): void } {
  const applied = new Map<string, Device>();
  return {
    get: (address) => (address.collection === DEVICES && applied.get(address.id)) || view.get(address),
    find(collection, hwidHash) {
      const stored = view.find(collection, hwidHash).filter(({ id }) => !applied.has(id));
      return [
        ...stored,
        ...[...applied].filter(([, state]) => state.hwidHash === hwidHash).map(([id, state]) => ({ id, state })),
      ];
    },
    apply(events) {
      for (const event of events) {
        const id = deviceIdOf(event.application, event.hwidHash);
        applied.set(id, evolve(applied.get(id) ?? device(view, id), event));
      }
    },
  };
}

function batchApplied({ account, application, key, at }: DeviceLogBatch, outcome: BatchOutcome): DeviceEvent {
  const until = new Date(at.getTime() + BATCH_LIFETIME_MS);
  const value = {
    key,
    until,
    notFound: [...outcome.notFound],
    invalidTags: outcome.invalidTags.map(({ entry, tags }) => ({ entry, tags: [...tags] })),
  };
  const noDevice = { hwidHash: '', hwid: '', seq: 0 };
  return {
    stamp: undefined,
    account,
    application,
    ...noDevice,
    at,
    previous: 0n,
    event: { $case: 'batchApplied', value },
  };
}

const isRefused = (thrown: unknown): boolean => thrown instanceof Fault && thrown.kind === 'argument';

export function decideBatch(batch: DeviceLogBatch, view: View, context: GroupContext): DeviceDecision {
  const used = usedKey(view, batch.key, batch.at);
  if (used) return { events: [], reply: { outcome: used.outcome ?? { notFound: [], invalidTags: [] } } };
  const hwidHashes = new Set(batch.items.map(({ command }) => command.identity.hwidHash));
  const overlay = hwidHashes.size < batch.items.length ? withApplied(view) : undefined;
  const events: DeviceEvent[] = [];
  const selfReports: SelfReport[] = [];
  const notFound: number[] = [];
  const invalidTags: { entry: number; tags: readonly number[] }[] = [];
  for (const { number, command } of batch.items) {
    try {
      refuseBlacklisted(command, context);
      const { decision } = decideOn(command, overlay ?? view, context);
      for (const event of chained(decision.events, view)) events.push(event);
      overlay?.apply(decision.events);
      for (const selfReport of decision.selfReports) selfReports.push(selfReportAt(selfReport));
      if (decision.invalidTags) invalidTags.push({ entry: number, tags: decision.invalidTags });
    } catch (thrown) {
      if (!isRefused(thrown)) throw thrown;
      notFound.push(number);
    }
  }
  const outcome = { notFound, invalidTags };
  return { events: [...events, batchApplied(batch, outcome)], reply: { outcome }, selfReports };
}
