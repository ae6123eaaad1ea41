import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Fields, isFields, objectIn, textOf } from '../fields.ts';
import type { AdmReason } from './adm-reasons.ts';

export interface ReadMessage {
  readonly hash: string;
  readonly consolidationKey: string;
  readonly error: AdmReason | undefined;
}

const DATA_BYTES = 6144;
const KEY_LENGTH = 64;
const TTL_SECONDS = { min: 60, max: 2_678_400 };
const TYPE = 'com.amazon.device.messaging.ADMMessage@1.0';
const ACCEPTED_TYPE = 'com.amazon.device.messaging.ADMSendResult@1.0';

/** Over the entries in the order of their keys. */
export const checksumOf = (data: Readonly<Record<string, string>>): string => {
  const entries = Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('md5')
    .update(entries.map(([key, value]) => `${key}:${value}`).join(','))
    .digest('base64');
};

const isTexts = (data: unknown): data is Readonly<Record<string, string>> =>
  isFields(data) && Object.values(data).every((value) => typeof value === 'string');

function errorOf({ data, consolidationKey, expiresAfter, md5 }: Fields): AdmReason | undefined {
  if (!isTexts(data)) return 'InvalidData';
  if (Buffer.byteLength(JSON.stringify(data)) > DATA_BYTES) return 'MessageTooLarge';
  if (consolidationKey !== undefined && (typeof consolidationKey !== 'string' || consolidationKey.length > KEY_LENGTH))
    return 'InvalidConsolidationKey';
  if (expiresAfter !== undefined) {
    const isTime = Number.isInteger(expiresAfter);
    if (!isTime || Number(expiresAfter) < TTL_SECONDS.min || Number(expiresAfter) > TTL_SECONDS.max)
      return 'InvalidExpiration';
  }
  return md5 === undefined || md5 === checksumOf(data) ? undefined : 'InvalidChecksum';
}

export function readMessage(headers: IncomingHttpHeaders, body: Buffer): ReadMessage {
  const message = objectIn(body.toString('utf8')) ?? {};
  const { data, consolidationKey } = message;
  const isTyped = headers['x-amzn-type-version'] === TYPE && headers['x-amzn-accept-type'] === ACCEPTED_TYPE;
  return {
    hash: isFields(data) ? textOf(data['p']) : '',
    consolidationKey: textOf(consolidationKey),
    error: isTyped ? errorOf(message) : 'InvalidType',
  };
}
