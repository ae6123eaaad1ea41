import { hwidCheckOf, DENIED, type Device, entriesIn, outputOf, valueOf } from '@tidings/audience';
import { type Clock, Fault } from '@tidings/kernel';
import { stateAfterCall, devicePart, inboxPage, inboxStatus, macOf, reachedState, valueText } from '@tidings/messaging';
import { type DeviceDocument, DEVICES, type Tags, type TagSet } from '@tidings/registry-store';
import type { Inbox, InboxEntry, InboxOwner, ListInboxReply } from '@tidings/rpc';
import type { Broker } from '@tidings/streaming';
import type { KeyObject } from 'node:crypto';
import type { Db } from 'mongodb';
import type { Owners } from '../applications/owners.ts';
import type { IdentityKeys } from '../identities/identity-keys.ts';
import { InboxContents } from './inbox-contents.ts';
import { type InboxDevices, inboxDevices } from './inbox-devices.ts';
import { type Entry, foundEntries, placedEntries, readerOf } from './inbox-entries.ts';
import { inboxId, type InboxStates, type EntryStates } from '../entry-states/entry-states.ts';
import { InboxPlans } from './inbox-plans.ts';
import { publishReports, reachedReport, reportsOfCall } from './inbox-reports.ts';

export interface InboxDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly broker: Pick<Broker, 'publish'>;
  readonly keys: IdentityKeys;
  readonly reportKey: KeyObject;
  readonly owners: Owners;
  readonly tags: Tags;
  readonly states: InboxStates;
}

const REPLY_BYTES = 8 * 1024 * 1024;

interface OpenInbox extends InboxDevices {
  readonly of: InboxOwner;
  readonly entries: readonly Entry[];
}

const orderOf = (text: string): bigint | undefined => (/^\d{1,19}$/.test(text) ? BigInt(text) : undefined);

function hashFor({ message, devices }: Entry, caller: Device | undefined): string {
  const { device, platform } = devices.find(({ device: { seq } }) => seq === caller?.seq) ?? devices[0]!;
  const mac = macOf(message.key, device.seq, platform, hwidCheckOf(device.hwidHash));
  return message.hashPrefix + devicePart({ seq: device.seq, platform, mac });
}

function render(entry: Entry, { devices, caller }: InboxDevices, tags: TagSet | undefined): InboxEntry {
  const { message, savedAt, leavesAt, status, order } = entry;
  const { device, isOwn } = readerOf(entry, devices);
  const valueIn = (name: string): string | undefined => {
    const tag = isOwn ? tags?.named(name) : undefined;
    const value = tag && valueOf(tag.type, entriesIn(device, tag.number));
    return value && valueText(outputOf(value));
  };
  const { title, text, image, actionType, params } = message.textsFor(
    { language: device.lang ?? '', platform: device.platform },
    valueIn,
  );
  const hash = hashFor(entry, caller);
  return {
    order: String(order),
    message: message.code,
    title,
    text,
    image,
    actionType,
    status,
    hash,
    removal: BigInt(Math.floor(leavesAt / 1000)),
    saved: BigInt(Math.floor(savedAt / 1000)),
    actionParams: `${params}${params === '{' ? '' : ','}"p":"${hash}"}`,
  };
}

const bytesIn = ({ title, text, image, actionParams }: InboxEntry): number =>
  3 * (title.length + text.length + image.length + actionParams.length);

function rendered(entries: readonly Entry[], inbox: InboxDevices, tags: TagSet | undefined): InboxEntry[] {
  const shown: InboxEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const one = render(entry, inbox, tags);
    bytes += bytesIn(one);
    if (shown.length > 0 && bytes > REPLY_BYTES) break;
    shown.push(one);
  }
  return shown;
}

export function inboxRpc({ db, clock, broker, keys, reportKey, owners, tags, states }: InboxDeps): Inbox {
  const devices = db.collection<DeviceDocument>(DEVICES);
  const plans = new InboxPlans(db, clock);
  const contents = new InboxContents(db, reportKey);

  const open = async (of: InboxOwner | undefined): Promise<OpenInbox> => {
    if (!of) throw Fault.bug('an inbox without an owner');
    const { account, application } = of;
    await owners.learn([application]);
    if (!owners.owns(account, application)) throw Fault.argument(DENIED);
    const behind = await inboxDevices(devices, keys, of);
    const operators = inboxId(application, '');
    const [planned, stored] = await Promise.all([
      plans.entriesOf(
        application,
        behind.devices.map(({ seq }) => seq),
      ),
      states.read([operators, ...behind.owners.map((owner) => inboxId(application, owner))]),
    ]);
    const now = clock.now();
    const found = foundEntries(planned, behind, now);
    const messages = await contents.of(application, new Set(found.map(({ content }) => content)));
    const statesOf = (owner: string): EntryStates => stored.get(inboxId(application, owner)) ?? {};
    const { devices: read } = behind;
    const placing = { messages, devices: read, statesOf, deleted: stored.get(operators) ?? {}, now };
    return { ...behind, of, entries: placedEntries(found, placing) };
  };

  /** Reports before it stores: a failure repeats the report. */
  const reach = async ({ of }: OpenInbox, entries: readonly Entry[]): Promise<void> => {
    const at = clock.now();
    await publishReports(broker, of, entries.map(reachedReport), at);
    for (const [owner, own] of Map.groupBy(entries, (entry) => entry.owner)) {
      const reached = Object.fromEntries(
        own.map(({ order, until }) => [String(order), { ...reachedState(at), until }]),
      );
      await states.change(inboxId(of.application, owner), new Date(at), (stored) => ({ ...reached, ...stored }));
    }
  };

  return {
    async list({ owner, before, count }): Promise<ListInboxReply> {
      const inbox = await open(owner);
      const page = inboxPage(inbox.entries, orderOf(before), count);
      const needsTags = page.entries.some(({ message }) => message.tags.length > 0);
      const entries = rendered(page.entries, inbox, needsTags ? await tags.of(inbox.of.account) : undefined);
      const untouched = page.entries.slice(0, entries.length).filter(({ state }) => !state);
      if (untouched.length > 0) await reach(inbox, untouched);
      return { entries, deleted: page.deleted.map(String), fresh: page.newCount };
    },

    async count({ owner }) {
      const inbox = await open(owner);
      const { entries, newCount } = inboxPage(inbox.entries, undefined, 0);
      return { entries: entries.length, fresh: newCount };
    },

    async setStatus({ owner, order: text, status, time }) {
      const inbox = await open(owner);
      const order = orderOf(text);
      const entry = inbox.entries.find((each) => each.order === order);
      if (!entry) return { unknown: true };
      if (entry.status === inboxStatus.deletedByOperator) return { unknown: false };
      const at = clock.now();
      const call = { status, time: Math.min(Number(time ?? at), at), at };
      const after = stateAfterCall(entry.state, call);
      if (after === entry.state) return { unknown: false };
      const platform = inbox.caller?.platform ?? entry.devices[0]!.platform;
      await publishReports(broker, inbox.of, reportsOfCall(entry, after, platform), at);
      await states.change(inboxId(inbox.of.application, entry.owner), new Date(at), (stored) => ({
        ...stored,
        [String(order)]: { ...stateAfterCall(stored[String(order)], call), until: entry.until },
      }));
      return { unknown: false };
    },

    async delete({ application, order: text }) {
      const order = orderOf(text);
      const until = order === undefined ? undefined : await contents.expiryOf(application, Number(order));
      if (!until) return { unknown: true };
      const at = clock.now();
      const deleted = { ...reachedState(at), status: inboxStatus.deletedByOperator, until: until.getTime() };
      await states.change(inboxId(application, ''), new Date(at), (stored) => ({
        [String(order)]: deleted,
        ...stored,
      }));
      return { unknown: false };
    },
  };
}
