import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type api, NOT_AFTER_SEND, type Notification, UNREADABLE_DATE } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import { dayOf } from '@tidings/messaging';
import type { CreatedMessage, MessageDraft, PreparedAudience, PreparedPreset, Presets } from '@tidings/rpc';
import type { Call, Context, Handler } from '../../context.ts';
import { authorizeGroup, hasAccessToGroup } from '../../auth/application-access.ts';
import { refuseUnknownContacts, registerContacts } from './contacts.ts';
import { type Asked, audienceOf, draftOf, notificationPaths, refuseOversized } from './draft.ts';

/** The most that a message is scheduled ahead (R-I7). */
export const MAX_AHEAD_MS = 365 * 86_400_000;

/** Refuses dates too far ahead (R-I7). */
function refuseDates(asked: readonly Asked[], now: number): void {
  for (const { notification, paths } of asked) {
    const { sendAt } = notification;
    if (!sendAt || sendAt.at.getTime() - now <= MAX_AHEAD_MS) continue;
    throw Fault.argument(`${paths.of('send_date')}: ${UNREADABLE_DATE}`);
  }
}

/** Refuses entries that would leave inboxes before they are saved (R-I21). */
function refuseInboxDates(asked: readonly Asked[], now: number): void {
  for (const { notification, paths } of asked) {
    const { sendAt, content } = notification;
    const sendDay = dayOf(new Date(Math.max(now, sendAt?.at.getTime() ?? now)));
    const { removalDay } = content.inbox ?? {};
    if (removalDay !== undefined && removalDay <= sendDay) {
      throw Fault.argument(`${paths.of('inbox_date')}: ${NOT_AFTER_SEND}`);
    }
  }
}

/** Recipients of these kinds are told if they are unknown; users are not (R-I4). */
const LISTED_UNKNOWN: ReadonlySet<string> = new Set(['devices', 'to'] satisfies Notification['recipients']['kind'][]);

/** Unknown devices, keyed by the value of their message in the reply; a repeat lists none, and unknown users are ignored (R-I1, R-I4, R-I6, R-I10). */
export function unknownDevices(
  notifications: readonly Notification[],
  created: readonly CreatedMessage[],
  audiences: readonly PreparedAudience[],
): Record<string, string[]> | undefined {
  const unknown: Record<string, string[]> = {};
  created.forEach(({ answer, repeat }, index) => {
    const isListed = LISTED_UNKNOWN.has(notifications[index]?.recipients.kind ?? '');
    const names = isListed ? (audiences[index]?.unknown ?? []) : [];
    if (!repeat && names.length > 0) unknown[answer] = [...new Set([...(unknown[answer] ?? []), ...names])];
  });
  return Object.keys(unknown).length > 0 ? unknown : undefined;
}

/** Interval of polling for the message of another request with the same transactionId. */
const LOOK_EVERY_MS = 50;

/**
 * The notifications, by index, whose transactionIds have a message already: they create nothing (R-I10). The other transactionIds are reserved for
 * this request, so that only one of several concurrent requests creates its campaigns.
 */
async function repeatsAmong(
  notifications: readonly Notification[],
  { messages }: Pick<Context, 'messages'>,
  { account, pending }: Call,
): Promise<ReadonlyMap<number, CreatedMessage>> {
  // Only notifications with a campaign name and a transactionId could create a campaign without messages. The scheduler handles all other repeats.
  const naming = notifications.filter(({ campaignName, transactionId }) => campaignName !== '' && transactionId !== '');
  if (naming.length === 0) return new Map();
  const transactionIds = [...new Set(naming.map(({ transactionId }) => transactionId))];
  const request = { account, transactionIds, reserveFor: randomUUID() };
  let reply = await messages.findCreated(request);
  while (!reply.reserved) {
    refuseLate(pending);
    await delay(LOOK_EVERY_MS);
    reply = await messages.findCreated(request);
  }
  const created = new Map(transactionIds.map((id, i) => [id, reply.messages[i]]));
  return new Map(
    notifications.flatMap(({ transactionId }, index) => {
      const repeat = created.get(transactionId);
      return repeat?.repeat ? [[index, repeat] as const] : [];
    }),
  );
}

/** The name of the campaign that a notification creates if it is missing; "" for none, and for the repeat of an earlier notification. */
function campaignNames(notifications: readonly Notification[]): string[] {
  const seen = new Set<string>();
  return notifications.map(({ campaignName, transactionId }) => {
    const isRepeat = transactionId !== '' && seen.has(transactionId);
    seen.add(transactionId);
    return isRepeat ? '' : campaignName;
  });
}

/** Sets the campaigns given by name, and creates missing ones (R-RES5). */
async function nameCampaigns(
  drafts: readonly MessageDraft[],
  names: readonly string[],
  idOf: (name: string) => Promise<bigint>,
): Promise<MessageDraft[]> {
  const ids = new Map<string, bigint>();
  for (const name of new Set(names)) if (name !== '') ids.set(name, await idOf(name));
  return drafts.map((draft, index) => {
    const campaignId = ids.get(names[index]!);
    return campaignId === undefined ? draft : { ...draft, message: { ...draft.message!, campaignId } };
  });
}

function refuseUnsuitable({ preset, unapproved = false, path }: Partial<PreparedPreset>): void {
  if (!preset?.platforms.includes(Platform.Email)) throw Fault.argument(`${path}: not an email preset`);
  if (unapproved) throw Fault.argument('Preset content is not approved');
}

/** An e-mail takes a preset of e-mail that no operator has withdrawn (R-E7). */
function refuseUnsuitablePresets(asked: readonly Asked[], audiences: readonly PreparedAudience[]): void {
  asked.forEach(({ hasEmailPreset, paths }, index) => {
    const { preset, presetUnapproved, platformPresets = [] } = audiences[index] ?? {};
    if (hasEmailPreset && preset) refuseUnsuitable({ preset, unapproved: presetUnapproved, path: paths.of('preset') });
    for (const each of platformPresets) if (each.platform === Platform.Email) refuseUnsuitable(each);
  });
}

/** A message from a group's preset requires access to the group: without it the preset is not found (R-K4). */
async function checkAccess(
  asked: readonly Asked[],
  audiences: readonly PreparedAudience[],
  context: Context,
  call: Call,
): Promise<void> {
  const used = audiences.flatMap(({ preset, platformPresets }, index) => [
    { path: asked[index]!.paths.of('preset'), group: preset?.group ?? '' },
    ...platformPresets.map((each) => ({ path: each.path, group: each.preset?.group ?? '' })),
  ]);
  const groups = new Set(used.map(({ group }) => group));
  groups.delete('');
  for (const group of groups) if (await hasAccessToGroup(context, call, group)) groups.delete(group);
  const refused = used.find(({ group }) => groups.has(group));
  if (refused) throw Fault.argument(`${refused.path}: not found`);
}

const campaignIdIn =
  (presets: Presets, account: string, application: string) =>
  async (name: string): Promise<bigint> => {
    const { campaign } = await presets.nameCampaign({ account, application, name });
    if (!campaign) throw Fault.bug('the registry did not return a campaign');
    return campaign.id;
  };

/** The reply if the messages may have been accepted: the gateway cannot know (R-ER10). */
const UNKNOWN_OUTCOME = new Fault(
  'unavailable',
  'it is not known whether the messages were accepted. Repeat the request with the same transactionId: a message that has none may be sent twice',
  { internal: 'the scheduler did not answer in time', effect: 'possible' },
);

/** Refuses further work after the caller has been answered. */
function refuseLate({ deadline }: Call['pending']): void {
  if (performance.now() >= deadline) throw new Fault('unavailable', 'Not served in time', { effect: 'none' });
}

/** Hands messages to the scheduler, unless the caller has been answered. */
async function accept(
  { messages }: Pick<Context, 'messages'>,
  { account, pending }: Call,
  drafts: MessageDraft[],
): Promise<readonly CreatedMessage[]> {
  refuseLate(pending);
  pending.late = UNKNOWN_OUTCOME;
  try {
    return (await messages.create({ account, drafts })).messages;
  } catch (error) {
    const { kind, effect, message, internal } = Fault.from(error);
    if (kind !== 'unavailable' || effect === 'none') throw error;
    throw new Fault('unavailable', UNKNOWN_OUTCOME.message, {
      ...{ internal: internal ?? message, effect: 'possible', cause: error },
    });
  }
}

/** The messages of a request, and the applications that they are addressed to. */
export interface MessagesAsked {
  readonly applications: readonly string[];
  /** The code of the group that the applications belong to; "" without a group. */
  readonly group: string;
  readonly asked: readonly Asked[];
}

/** The outcome for each message, in order, and its prepared audience. */
export interface MessagesCreated {
  readonly created: readonly CreatedMessage[];
  readonly audiences: readonly PreparedAudience[];
}

/** Creates the messages of a request: all are checked before any is created (R-I1). Every method that sends messages comes here. */
export async function createMessages(
  { applications, group, asked }: MessagesAsked,
  context: Context,
  call: Call,
): Promise<MessagesCreated> {
  const { devices, presets, clock } = context;
  const { account } = call;
  const now = clock.now();
  refuseDates(asked, now);
  refuseInboxDates(asked, now);
  const to = { account, applications: [...applications], group };
  const prepareDrafts = async () => {
    const prepared = await devices.prepare({ ...to, audiences: asked.map(audienceOf) });
    await checkAccess(asked, prepared.audiences, context, call);
    refuseUnsuitablePresets(asked, prepared.audiences);
    refuseUnknownContacts(asked, prepared.audiences);
    const debugUntil = prepared.application?.debugUntil?.getTime() ?? 0;
    const circumstances = { applications, debug: debugUntil > now, now: new Date(now) };
    const drafts = asked.map((each, index) => {
      const audience = prepared.audiences[index];
      if (!audience) throw Fault.bug('the registry did not resolve an audience');
      return draftOf(each, audience, circumstances);
    });
    refuseOversized(drafts, asked);
    return { drafts, audiences: prepared.audiences };
  };
  const first = await prepareDrafts();
  // Contacts are registered when nothing can refuse the messages any more; then they have numbers, which the drafts name.
  const isKnown = !(await registerContacts(applications[0]!, asked, first.audiences, context, call));
  const { drafts, audiences } = isKnown ? first : await prepareDrafts();
  // A campaign outlives its request: it is created only when nothing can refuse the messages any more, and never for a repeat.
  refuseLate(call.pending);
  const notifications = asked.map(({ notification }) => notification);
  const repeats = await repeatsAmong(notifications, context, call);
  const isNew = (_: unknown, index: number): boolean => !repeats.has(index);
  const names = campaignNames(notifications).filter(isNew);
  const named = await nameCampaigns(drafts.filter(isNew), names, campaignIdIn(presets, account, applications[0]!));
  const accepted = (named.length > 0 ? await accept(context, call, named) : []).values();
  const created = notifications.map((_, index) => repeats.get(index) ?? accepted.next().value!);
  return { created, audiences };
}

export const createMessage: Handler<typeof api.createMessage> = async (
  { application, group, notifications },
  context,
  call,
) => {
  const applications = group === '' ? [application] : await authorizeGroup(context, call, group);
  // For a group, sibling conditions are off: a device of one application must not match through its sibling in another.
  const bySiblings = group === '';
  const asked = notifications.map((notification, index) => ({
    notification,
    paths: notificationPaths(index),
    bySiblings,
  }));
  const { created, audiences } = await createMessages({ applications, group, asked }, context, call);
  const unknown = unknownDevices(notifications, created, audiences);
  return { Messages: created.map(({ answer }) => answer), ...(unknown ? { UnknownDevices: unknown } : {}) };
};
