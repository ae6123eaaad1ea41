import { type Device, lastActivity, ownerAt } from '@tidings/audience';
import { type EntryState, inboxStatus, type OrderedEntry } from '@tidings/messaging';
import type { InboxMessage } from './inbox-contents.ts';
import type { InboxDevices } from './inbox-devices.ts';
import type { EntryStates } from '../entry-states/entry-states.ts';
import type { PlannedEntry } from './inbox-plans.ts';

export interface EntryDevice {
  readonly device: Device;
  readonly platform: number;
}

export interface FoundEntry {
  readonly owner: string;
  readonly content: string;
  readonly savedAt: number;
  readonly until: number;
  readonly devices: readonly EntryDevice[];
}

export interface Entry extends FoundEntry, OrderedEntry {
  readonly message: InboxMessage;
  readonly leavesAt: number;
  readonly state: EntryState | undefined;
}

/** The first owner's entry counts (R-J2); the first plan fixes place and end (R-S4). */
export function foundEntries(
  planned: readonly PlannedEntry[],
  { owners, devices }: Pick<InboxDevices, 'owners' | 'devices'>,
  now: number,
): FoundEntry[] {
  const bySeq = new Map(devices.map((device) => [device.seq, device]));
  const byMessage = new Map<string, Map<string, FoundEntry & { devices: EntryDevice[] }>>();
  for (const { plan, seq, platform } of planned.toSorted((a, b) => a.plan.at - b.plan.at || a.seq - b.seq)) {
    const device = bySeq.get(seq)!;
    const owner = ownerAt(device.owners, plan.at);
    if (!owners.includes(owner)) continue;
    const ofMessage = byMessage.get(plan.message) ?? new Map<string, never>();
    byMessage.set(plan.message, ofMessage);
    const entry = ofMessage.get(owner);
    if (entry) entry.devices.push({ device, platform });
    else {
      const { content, at: savedAt, until } = plan;
      ofMessage.set(owner, { owner, content, savedAt, until, devices: [{ device, platform }] });
    }
  }
  const found = [...byMessage.values()].map((ofMessage) => owners.flatMap((owner) => ofMessage.get(owner) ?? [])[0]!);
  return found.filter(({ until }) => until > now);
}

export interface Placing {
  readonly messages: ReadonlyMap<string, InboxMessage>;
  readonly devices: readonly Device[];
  readonly statesOf: (owner: string) => EntryStates;
  readonly deleted: EntryStates;
  readonly now: number;
}

function endOf(entry: FoundEntry, message: InboxMessage, devices: readonly Device[]): number {
  const { device } = readerOf(entry, devices);
  const own = message.removalFor({ language: device.lang ?? '', platform: device.platform });
  return own ? Math.min(own.getTime(), entry.until) : entry.until;
}

/** Skips unreadable messages, which appear with the next call. */
export function placedEntries(
  found: readonly FoundEntry[],
  { messages, devices, statesOf, deleted, now }: Placing,
): Entry[] {
  return found.flatMap((entry) => {
    const message = messages.get(entry.content);
    const leavesAt = message ? endOf(entry, message, devices) : 0;
    if (!message || leavesAt <= now) return [];
    const order = String(message.order);
    const state = statesOf(entry.owner)[order];
    const isDeleted = state?.status !== inboxStatus.deletedByUser && deleted[order] !== undefined;
    const status = isDeleted ? inboxStatus.deletedByOperator : (state?.status ?? inboxStatus.delivered);
    return [{ ...entry, leavesAt, message, order: message.order, state, status }];
  });
}

const latest = (devices: readonly Device[]): Device | undefined =>
  devices.reduce<Device | undefined>(
    (last, device) => (last && lastActivity(last) >= lastActivity(device) ? last : device),
    undefined,
  );

export function readerOf(
  { owner, devices: got }: FoundEntry,
  devices: readonly Device[],
): { readonly device: Device; readonly isOwn: boolean } {
  const own = latest(devices.filter(({ user }) => user === owner));
  // A device with a new owner proves the entry, but its tags are another user's.
  return own ? { device: own, isOwn: true } : { device: latest(got.map(({ device }) => device))!, isOwn: false };
}
