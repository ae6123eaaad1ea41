import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderRequest } from '../provider.ts';
import type { ApnsReason } from './reasons.ts';

const PATH = '/3/device/';
const TOKEN = /^[0-9a-fA-F]{64,256}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const EXPIRATION = /^\d{1,12}$/;
const TOPIC = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;

/** Push types, with the required suffix of their topic. */
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

/** The app of a topic: a key that is for an app is for all of its topics. */
export function appOf(topic: string, pushType: string): string {
  const ending = topicEndings.get(pushType) ?? '';
  return ending !== '' && topic.endsWith(ending) ? topic.slice(0, -ending.length) : topic;
}

/** The device token in the path; empty if the path has none. */
export const deviceTokenOf = (path: string): string => (path.startsWith(PATH) ? path.slice(PATH.length) : '');

export const textOf = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/** The error in method, path or device token. */
export const addressFlaw = ({ method, path }: ProviderRequest, token: string): ApnsReason | undefined => {
  if (!path.startsWith(PATH)) return 'BadPath';
  if (method !== 'POST') return 'MethodNotAllowed';
  if (token === '') return 'MissingDeviceToken';
  return TOKEN.test(token) && token.length % 2 === 0 ? undefined : 'BadDeviceToken';
};

/** Whether a topic is the push id of a website, which Apple begins with `web.`. */
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
  // Without the header the priority is 10, which Apple documents as an error for background pushes.
  if (priority === '10' || priority === '') return pushType === 'background' ? 'BadPriority' : undefined;
  return bad(priority, 'BadPriority');
};

/** The error in the headers; the provider token is checked elsewhere. */
export const headerFlaw = (headers: IncomingHttpHeaders): ApnsReason | undefined => {
  const pushType = textOf(headers, 'apns-push-type');
  const wrong = topicFlaw(textOf(headers, 'apns-topic'), pushType);
  if (wrong !== undefined) return wrong;
  const priority = priorityFlaw(textOf(headers, 'apns-priority'), pushType);
  if (priority !== undefined) return priority;
  const expiration = textOf(headers, 'apns-expiration');
  if (expiration !== '' && !EXPIRATION.test(expiration)) return bad(expiration, 'BadExpirationDate');
  const id = textOf(headers, 'apns-id');
  if (id !== '' && !UUID.test(id)) return bad(id, 'BadMessageId');
  // Header values have one character per byte.
  return textOf(headers, 'apns-collapse-id').length > 64 ? 'BadCollapseId' : undefined;
};

/** The error in the payload: its size, or that it is no JSON object. */
export const payloadFlaw = ({ headers, body }: ProviderRequest, isReadable: boolean): ApnsReason | undefined => {
  const limit = textOf(headers, 'apns-push-type') === 'voip' ? 5120 : 4096;
  if (body.length > limit) return 'PayloadTooLarge';
  return isReadable ? undefined : 'PayloadEmpty';
};

/** The payload if it is a JSON object. */
export const parsePayload = (body: Buffer): Readonly<Record<string, unknown>> | undefined => {
  if (body.length === 0 || body.length > 65_536) return undefined;
  try {
    const payload: unknown = JSON.parse(body.toString('utf8'));
    return typeof payload === 'object' && payload !== null && !Array.isArray(payload)
      ? (payload as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};
