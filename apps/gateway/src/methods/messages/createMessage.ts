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
    const { removalDay, removals = [] } = content.inbox ?? {};
    if (removalDay !== undefined && Math.min(removalDay, ...removals.map((each) => each.removalDay)) <= sendDay) {
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
  audiences: MessagesCreated['audiences'],
): Record<string, string[]> | undefined {
  const unknown: Record<string, string[]> = {};
  created.forEach(({ answer, repeat }, index) => {
    const isListed = LISTED_UNKNOWN.has(notifications[index]?.recipients.kind ?? '');
    const names = isListed ? (audiences[index]?.unknown ?? []) : [];
    if (!repeat && names.length > 0) unknown[answer] = [...new Set([...(unknown[answer] ?? []), ...names])];
  });
  return Object.keys(unknown).length > 0 ? unknown : undefined;
}

/** Messages of a request whose transactionIds stand for earlier ones: they create nothing (R-I10). */
type Repeats = ReadonlyMap<Asked, CreatedMessage>;

const keysOf = (asked: readonly Asked[]): string[] => [
  ...new Set(asked.map(({ notification }) => notification.transactionId).filter((id) => id !== '')),
];

/** @param found what stands for each transactionId */
function repeatsIn(
  asked: readonly Asked[],
  transactionIds: readonly string[],
  found: readonly CreatedMessage[],
): Repeats {
  const created = new Map(transactionIds.map((id, i) => [id, found[i]]));
  return new Map(
    asked.flatMap((each) => {
      const repeat = created.get(each.notification.transactionId);
      return repeat?.repeat ? [[each, repeat] as const] : [];
    }),
  );
}

/** The repeats among messages, as the scheduler knows them by now. */
async function repeatsAmong(
  asked: readonly Asked[],
  { messages }: Pick<Context, 'messages'>,
  { account }: Call,
): Promise<Repeats> {
  const transactionIds = keysOf(asked);
  if (transactionIds.length === 0) return new Map();
  const found = await messages.findCreated({ account, transactionIds, reserveFor: '' });
  return repeatsIn(asked, transactionIds, found.messages);
}

/** Interval of polling for the message of another request with the same transactionId. */
const LOOK_EVERY_MS = 50;

/**
 * The repeats among messages that name campaigns. Their other transactionIds are reserved for this request, so that only one of several concurrent
 * requests creates its campaigns.
 */
async function reserveNaming(
  asked: readonly Asked[],
  { messages }: Pick<Context, 'messages'>,
  { account, pending }: Call,
): Promise<Repeats> {
  // Only messages with a campaign name could leave a campaign without messages behind. The scheduler handles all other repeats.
  const transactionIds = keysOf(asked.filter(({ notification }) => notification.campaignName !== ''));
  if (transactionIds.length === 0) return new Map();
  const request = { account, transactionIds, reserveFor: randomUUID() };
  let reply = await messages.findCreated(request);
  while (!reply.reserved) {
    refuseLate(pending);
    await delay(LOOK_EVERY_MS);
    reply = await messages.findCreated(request);
  }
  return repeatsIn(asked, transactionIds, reply.messages);
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
      internal: internal ?? message,
      effect: 'possible',
      cause: error,
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

/** The outcome for each message, in order, and its prepared audience, which a repeat may lack. */
export interface MessagesCreated {
  readonly created: readonly CreatedMessage[];
  readonly audiences: readonly (PreparedAudience | undefined)[];
}

/** The applications of a request, and its time. */
interface Addressed extends Pick<MessagesAsked, 'applications' | 'group'> {
  readonly now: number;
}

/** A message that nothing refuses. */
interface Prepared {
  readonly asked: Asked;
  readonly audience: PreparedAudience;
  readonly draft: MessageDraft;
}

/** Drafts messages, or throws the fault of the first that is refused. */
async function prepareDrafts(
  asked: readonly Asked[],
  { applications, group, now }: Addressed,
  context: Context,
  call: Call,
): Promise<Prepared[]> {
  if (asked.length === 0) return [];
  refuseDates(asked, now);
  refuseInboxDates(asked, now);
  const { audiences, application } = await context.devices.prepare({
    account: call.account,
    applications: [...applications],
    group,
    audiences: asked.map(audienceOf),
  });
  await checkAccess(asked, audiences, context, call);
  refuseUnsuitablePresets(asked, audiences);
  refuseUnknownContacts(asked, audiences);
  const debugUntil = application?.debugUntil?.getTime() ?? 0;
  const circumstances = { applications, debug: debugUntil > now, now: new Date(now) };
  const prepared = asked.map((each, index) => {
    const audience = audiences[index];
    if (!audience) throw Fault.bug('the registry did not resolve an audience');
    return { asked: each, audience, draft: draftOf(each, audience, circumstances) };
  });
  refuseOversized(
    prepared.map(({ draft }) => draft),
    asked,
  );
  return prepared;
}

/** Whether a message that may be a repeat would register contacts. */
const mayRegister = ({ asked: { notification, unknownContacts }, audience }: Prepared): boolean =>
  notification.transactionId !== '' && unknownContacts === 'register' && audience.unknown.length > 0;

/**
 * Prepares the messages of a request that are no repeats, and registers their contacts. A repeat answers the value of the first message, whatever has
 * become of its preset and its contacts, and registers none (R-I10). The scheduler recognizes repeats itself: it is asked in advance only about
 * messages that are refused or would register contacts.
 */
async function prepareNew(
  asked: readonly Asked[],
  to: Addressed,
  context: Context,
  call: Call,
): Promise<{ readonly prepared: readonly Prepared[]; readonly repeats: Repeats }> {
  let repeats: Repeats = new Map();
  let prepared: Prepared[];
  const isNew = (each: Asked): boolean => !repeats.has(each);
  try {
    prepared = await prepareDrafts(asked, to, context, call);
  } catch (refusal) {
    if (Fault.from(refusal).kind === 'argument') repeats = await repeatsAmong(asked, context, call);
    if (repeats.size === 0) throw refusal;
    prepared = await prepareDrafts(asked.filter(isNew), to, context, call);
  }
  if (repeats.size === 0 && prepared.some(mayRegister)) {
    repeats = await repeatsAmong(asked, context, call);
    prepared = prepared.filter((each) => isNew(each.asked));
  }
  // Contacts are registered when nothing can refuse the messages any more; then they have numbers, which the drafts name.
  const fresh = prepared.map((each) => each.asked);
  const audiences = prepared.map(({ audience }) => audience);
  const isKnown = !(await registerContacts(to.applications[0]!, fresh, audiences, context, call));
  return { prepared: isKnown ? prepared : await prepareDrafts(fresh, to, context, call), repeats };
}

/** Creates the messages of a request: all are checked before any is created (R-I1). Every method that sends messages comes here. */
export async function createMessages(
  { applications, group, asked }: MessagesAsked,
  context: Context,
  call: Call,
): Promise<MessagesCreated> {
  const to = { applications, group, now: context.clock.now() };
  const { prepared, repeats: earlier } = await prepareNew(asked, to, context, call);
  // A campaign outlives its request: it is created only when nothing can refuse the messages any more, and never for a repeat.
  refuseLate(call.pending);
  const reserved = await reserveNaming(
    prepared.map((each) => each.asked),
    context,
    call,
  );
  const repeats = new Map([...earlier, ...reserved]);
  const fresh = prepared.filter((each) => !repeats.has(each.asked));
  const named = await nameCampaigns(
    fresh.map(({ draft }) => draft),
    campaignNames(fresh.map((each) => each.asked.notification)),
    campaignIdIn(context.presets, call.account, applications[0]!),
  );
  const accepted = (named.length > 0 ? await accept(context, call, named) : []).values();
  const audiences = new Map(prepared.map((each) => [each.asked, each.audience]));
  return {
    created: asked.map((each) => repeats.get(each) ?? accepted.next().value!),
    audiences: asked.map((each) => audiences.get(each)),
  };
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
