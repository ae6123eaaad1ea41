import {
  compilePayload,
  json,
  jsonString,
  list,
  type MessageKey,
  object,
  OVERSIZED_BYTES,
  token,
} from '@tidings/messaging';
import { androidData, urgencyOf } from '../android-data.ts';
import type { ChannelPayload, Push } from '../channel-definition.ts';
import { inLanguage } from '../locale-settings.ts';
import { remainingTtl } from '../remaining-ttl.ts';

/** Bytes of a request without its token. */
const LIMIT = 4096;
const LONGEST_TTL_SECONDS = 1_296_000;

/** Push Kit takes one second at least. */
const lifetime = (seconds: number): string => `${Math.min(Math.max(seconds, 1), LONGEST_TTL_SECONDS)}s`;

/**
 * The request body for a message in a language: a data message, whose data is JSON in a string (Spec I). It names one device: each has a statistics
 * hash of its own, so that no two devices share a body.
 * @param key the message's, in the application of the devices
 */
export function hmsPayload(push: Push, language: string, key: MessageKey): ChannelPayload {
  const message = inLanguage(push, language);
  const content = message.content!;
  const { huawei } = content;
  const ttlSeconds = remainingTtl(huawei?.ttlSeconds, message);
  const whole = object({
    message: object({
      data: jsonString(androidData(message, huawei, language, key)),
      android: json({
        urgency: urgencyOf(content, huawei),
        ttl: ttlSeconds === undefined ? undefined : lifetime(ttlSeconds),
      }),
      token: list([token]),
    }),
  });
  return { payload: compilePayload(whole), limit: LIMIT };
}

interface HmsRequest {
  readonly message: { readonly token: readonly [string] };
}

/** Whether a request is within Push Kit's limit, which does not count the token. Only requests beyond the limit are parsed again. */
export function fitsHms(body: Buffer, limit: number): boolean {
  if (body.length <= limit) return true;
  if (body.length >= OVERSIZED_BYTES) return false;
  const { message } = JSON.parse(body.toString('utf8')) as HmsRequest;
  return body.length - Buffer.byteLength(message.token[0]) <= limit;
}
