import { EMAIL_ONLY, NOT_AFTER_SEND, type Notification, UNREADABLE_DATE } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { MAX_SIBLING_APPLICATIONS, MAX_TAGS, MAX_WAITING, type RefusalReason } from '@tidings/messaging';
import type { MessageRefusal } from '@tidings/rpc';
import { type Paths, selectionField } from './paths.ts';

export interface NamedMessage {
  readonly notification: Notification;
  readonly paths: Paths;
}

function pathOf({ field, entry }: MessageRefusal, { notification, paths }: NamedMessage): string {
  const within = (path: string): string => (entry === undefined ? path : `${path}[${entry}]`);
  switch (field) {
    case 'message':
      return paths.message;
    case 'sendDate':
      return paths.of('send_date');
    case 'inboxDate':
      return paths.of('inbox_date');
    case 'recipients':
      return within(paths.of('devices'));
    case 'selection':
      return within(paths.of(selectionField(notification)));
    case 'category':
      return paths.of('email_category');
    case 'preset':
      return paths.of('preset');
    case 'platformPreset':
      return `${paths.message}.${notification.platformPresets?.[entry ?? 0]?.path}`;
    case 'campaign':
      return paths.of('campaign');
    case 'liveActivity':
      return paths.of('live_activity_id');
    default:
      return '';
  }
}

const words: Readonly<Record<RefusalReason, string | ((refusal: MessageRefusal) => string)>> = {
  tooFarAhead: UNREADABLE_DATE,
  notAfterSend: NOT_AFTER_SEND,
  notFound: 'not found',
  notEmailPreset: 'not an email preset',
  notApproved: 'Preset content is not approved',
  unknownCategory: 'unknown category',
  invalidExpression: ({ detail }) => detail,
  invalidCondition: ({ detail }) => detail,
  tooManyApplications: `tags of more than ${MAX_SIBLING_APPLICATIONS} other applications`,
  emailOnlyPlan: EMAIL_ONLY,
  notRegistered: 'device is not registered',
  messageTooLarge: 'at most 2 MiB with its preset',
  tooManyTags: `placeholders of at most ${MAX_TAGS} tags`,
  segmentsTooLarge: 'notifications: the segments are too large together',
  presetsTooLarge: 'notifications: the presets are too large together',
  messagesTooLarge: 'notifications: at most 32 MiB with their presets',
  activityClosed: 'live activity is closed',
  tooManyWaiting: `at most ${MAX_WAITING} messages may wait to be sent`,
};

export function faultOf(refusal: MessageRefusal, messages: readonly NamedMessage[]): Fault {
  const worded = words[refusal.reason as RefusalReason] as (typeof words)[RefusalReason] | undefined;
  const message = messages[refusal.notification];
  if (worded === undefined || !message) return Fault.bug(`unknown refusal: ${refusal.reason}`);
  const text = typeof worded === 'string' ? worded : worded(refusal);
  const path = refusal.reason === 'notApproved' ? '' : pathOf(refusal, message);
  return Fault.argument(path === '' ? text : `${path}: ${text}`);
}
