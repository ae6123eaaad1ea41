import { type Fields, fieldsOf, objectIn, textOf } from '../fields.ts';
import type { HmsCode } from './codes.ts';

export interface ReadMessage {
  readonly tokens: readonly string[];
  readonly hash: string;
  /** The app reads the tag from the data. */
  readonly tag: string;
  readonly error: HmsCode | undefined;
}

const MESSAGE_BYTES = 4096;
const TOKENS_MAX = 1000;
const LONGEST_TTL_SECONDS = 1_296_000;
const LIFETIME = /^(\d{1,9})s$/;

function androidError({ urgency, ttl, collapse_key: collapseKey }: Fields): HmsCode | undefined {
  if (urgency !== undefined && urgency !== 'HIGH' && urgency !== 'NORMAL') return '80100001';
  if (ttl !== undefined) {
    const seconds = Number(LIFETIME.exec(textOf(ttl))?.[1]);
    if (!(seconds >= 1 && seconds <= LONGEST_TTL_SECONDS)) return '80100001';
  }
  if (collapseKey === undefined) return undefined;
  const isKey = Number.isInteger(collapseKey) && Number(collapseKey) >= -1 && Number(collapseKey) <= 100;
  return isKey ? undefined : '80100013';
}

function errorOf(message: Fields, tokens: readonly string[], bytes: number): HmsCode | undefined {
  const { data, android } = message;
  const { notification } = fieldsOf(android);
  if (tokens.length === 0 || tokens.length > TOKENS_MAX) return '80300010';
  // A data message, or a notification of the system.
  if (notification === undefined ? textOf(data) === '' : data !== undefined && typeof data !== 'string')
    return '80100003';
  const ofTokens = tokens.reduce((sum, token) => sum + Buffer.byteLength(token), 0);
  if (bytes - ofTokens > MESSAGE_BYTES) return '80300008';
  return androidError(fieldsOf(android));
}

/** The data is JSON for the app of Tidings. */
export function readMessage(body: Buffer): ReadMessage {
  const request = objectIn(body.toString('utf8'));
  if (!request) return { tokens: [], hash: '', tag: '', error: '80100001' };
  const message = fieldsOf(request['message']);
  const { token } = message;
  const tokens = Array.isArray(token) ? token.map(textOf).filter((each) => each !== '') : [];
  const data = objectIn(textOf(message['data'])) ?? {};
  return {
    tokens,
    hash: textOf(data['p']),
    tag: textOf(data['pw_msg_tag']),
    error: errorOf(message, tokens, body.length),
  };
}
