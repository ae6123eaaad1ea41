import type { IncomingHttpHeaders } from 'node:http';
import { type Fields, objectIn, textOf } from '../fields.ts';
import type { ProviderRequest } from '../provider.ts';
import type { ApnsReason } from './reasons.ts';

const PATH = '/3/device/';
const TOKEN = /^[0-9a-fA-F]{64,256}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const EXPIRATION = /^\d{1,12}$/;
const TOPIC = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;

/** With the required suffix of their topic. */
const topicEndings: ReadonlyMap<string, string> = new Map([
  ['alert', ''],
  ['background', ''],
  ['controls', '.push-type.controls'],
  ['location', '.location-query'],
  ['voip', '.voip'],
  ['complication', '.complication'],
  ['fileprovider', '.pushkit.fileprovider'],
  ['mdm', ''],
  ['liveactivity', '.push-type.liveactivity'],
  ['pushtotalk', '.voip-ptt'],
  ['widgets', '.push-type.widgets'],
]);

/** A key for an app is for all of its topics. */
export function appOf(topic: string, pushType: string): string {
  const ending = topicEndings.get(pushType) ?? '';
  return ending !== '' && topic.endsWith(ending) ? topic.slice(0, -ending.length) : topic;
}

/** Empty if the path has none. */
export const deviceTokenOf = (path: string): string => (path.startsWith(PATH) ? path.slice(PATH.length) : '');

export const addressFlaw = ({ method, path }: ProviderRequest, token: string): ApnsReason | undefined => {
  if (!path.startsWith(PATH)) return 'BadPath';
  if (method !== 'POST') return 'MethodNotAllowed';
  if (token === '') return 'MissingDeviceToken';
  return TOKEN.test(token) && token.length % 2 === 0 ? undefined : 'BadDeviceToken';
};

/** Apple begins a website's push id with `web.`. */
export const isWebsite = (topic: string): boolean => topic.startsWith('web.');

/** Repeated headers arrive joined by a comma, which no valid value contains. */
const bad = (value: string, reason: ApnsReason): ApnsReason => (value.includes(',') ? 'DuplicateHeaders' : reason);

const topicFlaw = (topic: string, pushType: string): ApnsReason | undefined => {
  if (topic === '') return 'MissingTopic';
  if (!TOPIC.test(topic)) return bad(topic, 'BadTopic');
  const ending = topicEndings.get(pushType);
  if (ending === undefined) return bad(pushType, 'InvalidPushType');
  return ending === '' || topic.endsWith(ending) ? undefined : 'TopicDisallowed';
};

const priorityFlaw = (priority: string, pushType: string): ApnsReason | undefined => {
  if (priority === '5' || priority === '1') return undefined;
  // The default priority 10 is an error for background pushes (Apple).
  if (priority === '10' || priority === '') return pushType === 'background' ? 'BadPriority' : undefined;
  return bad(priority, 'BadPriority');
};

export const headerFlaw = (headers: IncomingHttpHeaders): ApnsReason | undefined => {
  const pushType = textOf(headers['apns-push-type']);
  const wrong = topicFlaw(textOf(headers['apns-topic']), pushType);
  if (wrong !== undefined) return wrong;
  const priority = priorityFlaw(textOf(headers['apns-priority']), pushType);
  if (priority !== undefined) return priority;
  const expiration = textOf(headers['apns-expiration']);
  if (expiration !== '' && !EXPIRATION.test(expiration)) return bad(expiration, 'BadExpirationDate');
  const id = textOf(headers['apns-id']);
  if (id !== '' && !UUID.test(id)) return bad(id, 'BadMessageId');
  // Header values have one character per byte.
  return textOf(headers['apns-collapse-id']).length > 64 ? 'BadCollapseId' : undefined;
};

export const payloadFlaw = ({ headers, body }: ProviderRequest, isReadable: boolean): ApnsReason | undefined => {
  const limit = textOf(headers['apns-push-type']) === 'voip' ? 5120 : 4096;
  if (body.length > limit) return 'PayloadTooLarge';
  return isReadable ? undefined : 'PayloadEmpty';
};

export const parsePayload = (body: Buffer): Fields | undefined => {
  if (body.length === 0 || body.length > 65_536) return undefined;
  return objectIn(body.toString('utf8'));
};
