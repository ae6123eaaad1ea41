import { type Fields, fieldsOf, isFields, textOf } from '../fields.ts';
import type { Push } from '../ledger/entries.ts';
import { type FcmError, invalidArgument } from './errors.ts';

export interface ReadMessage {
  /** The collapse id is `android.collapse_key`, else the tag of the notification, which data may name, too. */
  readonly push: Push;
  readonly error: FcmError | undefined;
}

const MESSAGE_BYTES = 4096;
const LONGEST_TTL_SECONDS = 2_419_200;
const DURATION = /^(\d{1,12})(?:\.\d{1,9})?s$/;
const FCM_TYPES = 'type.googleapis.com/google.firebase.fcm.v1';
const PRIORITIES: ReadonlySet<unknown> = new Set(['NORMAL', 'HIGH', 'normal', 'high', 0, 1]);

const names = (...snake: readonly string[]): ReadonlySet<string> =>
  new Set([...snake, ...snake.map((name) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))]);

const requestNames = names('message', 'validate_only');
const messageNames = names(
  ...['name', 'data', 'notification', 'android', 'webpush', 'apns', 'fcm_options', 'token', 'topic', 'condition'],
);
const androidNames = names(
  ...['collapse_key', 'priority', 'ttl', 'restricted_package_name', 'data', 'notification', 'fcm_options'],
  ...['direct_boot_ok', 'bandwidth_constrained_ok', 'restricted_satellite_ok'],
);

const payloadError = (field: string, message: string): FcmError => invalidArgument(field, message, false);

const unknownName = (fields: Fields, allowed: ReadonlySet<string>, path: string): FcmError | undefined => {
  for (const name in fields) {
    if (allowed.has(name)) continue;
    const place = path === '' ? '' : ` at '${path}'`;
    return payloadError(path, `Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`);
  }
  return undefined;
};

const isReserved = (key: string): boolean =>
  key === 'from' || key === 'gcm' || key === 'message_type' || key.startsWith('google') || key.startsWith('gcm.');

const dataError = (data: unknown, path: string): FcmError | undefined => {
  if (data === undefined) return undefined;
  if (!isFields(data)) return payloadError(path, `Invalid value at '${path}' (Map)`);
  let index = 0;
  for (const key in data) {
    const value = data[key];
    if (typeof value !== 'string') {
      const field = `${path}[${index}].value`;
      return payloadError(field, `Invalid value at '${field}' (TYPE_STRING), ${JSON.stringify(value)}`);
    }
    if (isReserved(key)) return invalidArgument('message.data', `Invalid data payload key: ${key}`);
    index++;
  }
  return undefined;
};

const wrongValue = (field: string, type: string, value: unknown): FcmError =>
  payloadError(field, `Invalid value at '${field}' (${type}), ${JSON.stringify(value)}`);

const priorityError = (priority: unknown): FcmError | undefined =>
  priority === undefined || PRIORITIES.has(priority)
    ? undefined
    : wrongValue('message.android.priority', `${FCM_TYPES}.AndroidMessagePriority`, priority);

const ttlError = (ttl: unknown): FcmError | undefined => {
  if (ttl === undefined) return undefined;
  const seconds = DURATION.exec(textOf(ttl))?.[1];
  if (seconds === undefined)
    return wrongValue('message.android.ttl', 'type.googleapis.com/google.protobuf.Duration', ttl);
  return Number(seconds) > LONGEST_TTL_SECONDS ? invalidArgument('message.android.ttl', 'Invalid TTL') : undefined;
};

const collapseKeyOf = (android: Fields): unknown => android['collapse_key'] ?? android['collapseKey'];

const collapseKeyError = (key: unknown): FcmError | undefined =>
  key === undefined || typeof key === 'string'
    ? undefined
    : wrongValue('message.android.collapse_key', 'TYPE_STRING', key);

const androidError = (android: unknown): FcmError | undefined => {
  if (android === undefined) return undefined;
  if (!isFields(android)) return wrongValue('message.android', `${FCM_TYPES}.AndroidConfig`, android);
  return (
    unknownName(android, androidNames, 'message.android') ??
    priorityError(android['priority']) ??
    ttlError(android['ttl']) ??
    collapseKeyError(collapseKeyOf(android)) ??
    dataError(android['data'], 'message.android.data')
  );
};

const dataBytes = (message: Fields): number => {
  let bytes = 0;
  const counted = (fields: Fields): void => {
    for (const key in fields) bytes += Buffer.byteLength(key) + Buffer.byteLength(textOf(fields[key]));
  };
  counted(fieldsOf(message['data']));
  counted(fieldsOf(message['notification']));
  return bytes;
};

const recipientError = (message: Fields): FcmError | undefined => {
  const given = ['token', 'topic', 'condition'].filter((name) => textOf(message[name]) !== '');
  if (given.length === 1) return undefined;
  const text = given.length === 0 ? 'Recipient of the message is not set.' : 'Recipient of the message is set twice.';
  return invalidArgument('message', text);
};

const errorOf = (request: Fields, message: Fields, bytes: number): FcmError | undefined =>
  unknownName(request, requestNames, '') ??
  unknownName(message, messageNames, 'message') ??
  dataError(message['data'], 'message.data') ??
  androidError(message['android']) ??
  recipientError(message) ??
  // A body within the limit cannot contain data beyond the limit.
  (bytes > MESSAGE_BYTES && dataBytes(message) > MESSAGE_BYTES
    ? invalidArgument('message', 'Message is too big. The limit is 4096 bytes.')
    : undefined);

/** Refuses unknown names, non-string values and invalid durations, as FCM does. */
export const readMessage = (body: Buffer): ReadMessage => {
  let request: unknown;
  try {
    request = JSON.parse(body.toString('utf8'));
  } catch {
    const error = payloadError('', 'Invalid JSON payload received. Unexpected token.');
    return { push: { token: '', hash: '', collapseId: '', id: '', payload: body }, error };
  }
  const message = fieldsOf(fieldsOf(request)['message']);
  const android = fieldsOf(message['android']);
  const hash = fieldsOf(message['data'])['p'] ?? fieldsOf(android['data'])['p'];
  const { pw_msg_tag: appTag, tag: browserTag } = fieldsOf(message['data']);
  const key = collapseKeyOf(android) ?? fieldsOf(android['notification'])['tag'] ?? appTag ?? browserTag;
  const push = {
    token: textOf(message['token']),
    hash: textOf(hash),
    collapseId: textOf(key),
    id: '',
    payload: body,
  };
  return { push, error: errorOf(fieldsOf(request), message, body.length) };
};
