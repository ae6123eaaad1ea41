import {
  type FilterCondition as StructuredCondition,
  type Notification,
  type StructuredFilter,
  withText,
} from '@tidings/contract';
import {
  type Audience,
  bytesOf,
  type LiveActivity,
  type LocalTime,
  PastOffsets,
  type Preset,
  type Reach,
} from '@tidings/events';
import { Fault, Platform, pushPlatforms } from '@tidings/kernel';
import { isDueEverywhere } from '@tidings/messaging';
import {
  type FilterCondition,
  type FilterGroup,
  type Grant,
  MessageDraft,
  type PrepareAudience,
  type PreparedAudience,
} from '@tidings/rpc';
import { contentOf } from './content.ts';

/** A message to fewer named recipients is hidden, unless debug mode is on or it is scheduled (R-I6). */
const HISTORY_FROM = 10;

/** Values common to all notifications of a request. */
export interface Circumstances {
  readonly applications: readonly string[];
  readonly debug: boolean;
  readonly now: Date;
}

/** The names of a message and its fields in a request. */
export interface Paths {
  /** "" for the request itself. */
  readonly message: string;
  /** @param field as createMessage calls it */
  readonly of: (field: MessageField) => string;
}

export type MessageField =
  | 'send_date'
  | 'devices'
  | 'email_category'
  | 'ignore_user_timezone'
  | 'inbox_date'
  | 'preset'
  | 'campaign'
  | 'filter'
  | 'filter_code'
  | 'expression'
  | 'live_activity_id';

/** The paths of an entry of `notifications`. */
export function notificationPaths(index: number): Paths {
  const message = `notifications[${index}]`;
  return { message, of: (field) => `${message}.${field}` };
}

/** `<path>: <reason>`, or the reason alone for a request that is the message. */
export const located = (path: string, reason: string): string => (path === '' ? reason : `${path}: ${reason}`);

/** A message of a request. */
export interface Asked {
  readonly notification: Notification;
  readonly paths: Paths;
  /** The caller's grant, for expressions. */
  readonly grant?: Grant;
  /** Whether the message is in the history however few recipients it names (R-I6). */
  readonly isAlwaysStored?: boolean;
  /** Whether conditions on tags of other applications match by hwid (R-O5). @default false, they match nobody */
  readonly bySiblings?: boolean;
  /** The live activity that the message starts, updates or ends; its timestamp is set when the message is accepted. */
  readonly liveActivity?: LiveActivity;
  /** An e-mail, and nothing else. @default false */
  readonly isEmail?: boolean;
  /** Its preset must be one of e-mail, and approved (R-E7). @default false */
  readonly hasEmailPreset?: boolean;
  /** Frequency caps apply, although it is transactional (R-E12). @default false */
  readonly isCapped?: boolean;
  /** The treatment of contacts that are not registered. @default they are left out */
  readonly unknownContacts?: 'register' | 'refuse';
}

const targetField = ({ recipients }: Notification): MessageField => {
  if (recipients.kind === 'filter') return recipients.name === '' ? 'filter_code' : 'filter';
  return 'expression';
};

/** The audience to prepare in the registry: the recipients of a message, its preset and its campaign. */
export function audienceOf({ notification, paths, grant, bySiblings = false }: Asked): PrepareAudience {
  const { recipients, preset, campaign } = notification;
  return {
    path: paths.message,
    presetPath: paths.of('preset'),
    campaignPath: paths.of('campaign'),
    targetPath: paths.of(targetField(notification)),
    target: targetOf(recipients, grant),
    preset,
    campaign,
    platformPresets: (notification.platformPresets ?? []).map((each) => ({
      ...each,
      path: `${paths.message}.${each.path}`,
    })),
    category: notification.content.email?.category ?? '',
    categoryPath: paths.of('email_category'),
    latestDevice: recipients.kind === 'users' && recipients.latestDevice === true,
    latestAmong: [...(notification.platforms ?? [])],
    bySiblings,
  };
}

/** A structured filter as the registry takes it; large integers are texts there. */
const groupOf = ({ any, negated, conditions }: StructuredFilter): FilterGroup => ({
  any,
  negated,
  conditions: conditions.map((each) => ({ negated: each.negated, condition: conditionOf(each) })),
});

function conditionOf(condition: StructuredCondition): FilterCondition['condition'] {
  switch (condition.kind) {
    case 'tag': {
      const { application, name, operator, value } = condition;
      return { $case: 'tag', value: { application, name, operator, operand: withText(value) } };
    }
    case 'application': {
      const { code, platforms, withTokens } = condition;
      return { $case: 'application', value: { code, platforms: [...platforms], withTokens } };
    }
    case 'segment':
      return { $case: 'segment', value: condition.code };
    case 'group':
      return { $case: 'group', value: groupOf(condition.of) };
  }
}

function targetOf(recipients: Notification['recipients'], grant: Grant | undefined): PrepareAudience['target'] {
  switch (recipients.kind) {
    case 'expression':
      return { $case: 'expression', value: { source: recipients.source, grant } };
    case 'structured':
      return { $case: 'structured', value: { filter: groupOf(recipients.filter), grant } };
    case 'activity':
      return { $case: 'activity', value: recipients.id };
    case 'users':
    case 'devices':
    case 'to':
    case 'hwids':
    case 'pushTokens':
      return { $case: recipients.kind, value: { names: [...recipients.names] } };
    case 'contacts':
      return { $case: 'contacts', value: { platform: recipients.platform, names: [...recipients.names] } };
    case 'testDevices':
      return { $case: 'testDevices', value: {} };
    case 'conditions':
      return {
        $case: 'conditions',
        value: {
          operator: recipients.operator,
          conditions: recipients.conditions.map(({ operand, ...asked }) => ({ ...asked, operand: withText(operand) })),
        },
      };
    case 'filter':
      return { $case: 'filter', value: { name: recipients.name, code: recipients.code } };
    case 'everyone':
      return { $case: 'everyone', value: {} };
  }
}

/** Named devices and contacts are reached on any platform, all others on the push platforms, unless request or preset set platforms (R-I5, R-K4). */
function platformsOf({ platforms, recipients }: Notification, preset: Preset | undefined): number[] {
  const named = platforms ?? preset?.platforms;
  if (named) return [...named];
  return recipients.kind === 'devices' || recipients.kind === 'to' ? [] : [...pushPlatforms];
}

/** The target, restricted to devices in the circle (R-I20). */
const within = (circle: Notification['circle'], target: Audience['target']): Audience['target'] =>
  circle && target?.$case === 'selection' ? { $case: 'selection', value: { ...target.value, circle } } : target;

/** The platforms of the named devices that receive the message; undefined if it names none (R-RES22). */
function reachIn({ platforms: named }: PreparedAudience, { target, platforms }: Audience): Reach | undefined {
  if (target?.$case !== 'named') return undefined;
  return { platforms: platforms.length === 0 ? named : named.filter((code) => platforms.includes(code)) };
}

const conditionsOf = ({ recipients }: Notification) =>
  recipients.kind === 'conditions'
    ? {
        conditions: JSON.stringify(recipients.conditions.map(({ tag, operator, operand }) => [tag, operator, operand])),
        conditionsOperator: recipients.operator,
      }
    : { conditions: '', conditionsOperator: '' };

/** Maximum size of a message with its preset and its audience: it is stored as one document, and each of its batches carries the content. */
const DRAFT_BYTES = 2 * 1024 * 1024;
/** Maximum total size of a request's messages: one call hands them on. */
const REQUEST_BYTES = 32 * 1024 * 1024;
/** Each device in a batch has a slot for every tag. */
const MAX_TAGS = 256;

/** Refuses drafts that could only be accepted in part, or could not be sent. */
export function refuseOversized(drafts: readonly MessageDraft[], asked: readonly Asked[]): void {
  let all = 0;
  drafts.forEach((draft, index) => {
    const { length } = bytesOf(MessageDraft, draft);
    const { message: path } = asked[index]!.paths;
    all += length;
    if (length > DRAFT_BYTES) throw Fault.argument(located(path, 'at most 2 MiB with its preset'));
    const tags = draft.message?.content?.tags.length ?? 0;
    if (tags > MAX_TAGS) throw Fault.argument(located(path, `placeholders of at most ${MAX_TAGS} tags`));
  });
  if (all > REQUEST_BYTES) throw Fault.argument('notifications: at most 32 MiB with their presets');
}

/** The frequency cap of the request replaces the frequency cap of the application (R-I12). */
const cappingOf = ({ capping }: Notification) => ({
  capping: capping.cap,
  cappingExclude: capping.exclude,
  cappingAvoid: capping.avoid,
});

/** A date that is ahead; none = now: it has passed, or on the clocks of recipients all of them are due at once (R-I7, R-I9, R-O1). */
function datesOf({ sendAt: date }: Notification, now: Date): { sendAt?: Date; localTime?: LocalTime } {
  if (!date) return {};
  const { at, localAt, pastOffsets = 'SEND_IMMEDIATELY' } = date;
  if (!localAt) return at > now ? { sendAt: at } : {};
  const localTime = { wallAt: localAt, defaultAt: at, pastOffsets: PastOffsets[`PAST_OFFSETS_${pastOffsets}`] };
  return isDueEverywhere(localTime, now) ? {} : { sendAt: localAt, localTime };
}

/** Kinds of recipients whose message is sent at once, whatever the rate of a preset. */
const UNRATED: ReadonlySet<string> = new Set([
  ...(['devices', 'hwids', 'pushTokens', 'contacts', 'testDevices'] satisfies Notification['recipients']['kind'][]),
]);

/** Pushes a second; 0 = any. The rate of a preset does not apply to named devices (R-I11, R-K4). */
function sendRateOf(
  { sendRate: { value, avoid }, recipients: { kind } }: Notification,
  preset: Preset | undefined,
): number {
  if (avoid || UNRATED.has(kind)) return 0;
  return value ?? preset?.sendRate ?? 0;
}

/** The preset that lists show: the preset of the e-mail, if the e-mail has one of its own (R-E16). */
const shownPresetOf = ({ preset, platformPresets }: Notification): string =>
  platformPresets?.find(({ platform }) => platform === Platform.Email)?.code ?? preset ?? '';

/** The draft of one notification for the scheduler. */
export function draftOf(
  { notification, paths, isAlwaysStored = false, liveActivity, isEmail = false, isCapped = false }: Asked,
  prepared: PreparedAudience,
  { applications, debug, now }: Circumstances,
): MessageDraft {
  const { recipients, transactional, transactionId } = notification;
  const listed = 'names' in recipients;
  const { sendAt, localTime } = datesOf(notification, now);
  const audience: Audience = {
    target: within(notification.circle, prepared.audience?.target),
    platforms: platformsOf(notification, prepared.preset),
  };
  const { content, linkToShorten, actionsToShorten } = contentOf(notification.content, prepared);
  return {
    transactionId,
    linkToShorten,
    actionsToShorten,
    activityKnown: prepared.activityKnown,
    activityPath: liveActivity ? paths.of('live_activity_id') : '',
    message: {
      applications: [...applications],
      sendAt,
      source: isEmail ? 'EMAIL_API' : 'API',
      transactional,
      hidden: listed && recipients.names.length < HISTORY_FROM && !debug && !sendAt && !isAlwaysStored,
      listedRecipients: listed,
      campaignId: prepared.campaignId,
      audience,
      content: { ...content, liveActivity },
      ...conditionsOf(notification),
      filterName: prepared.filterName,
      filterCode: prepared.filterCode,
      preset: shownPresetOf(notification),
      reach: reachIn(prepared, audience),
      shortLink: '',
      shortLinkTarget: '',
      actionLinks: [],
      geozone: 0n,
      transaction: '',
      answer: '',
      openUntil: undefined,
      ...cappingOf(notification),
      capped: isCapped,
      localTime,
      sendRate: sendRateOf(notification, prepared.preset),
    },
  };
}
