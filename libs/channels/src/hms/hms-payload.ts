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

const LIMIT = 4096;
const LONGEST_TTL_SECONDS = 1_296_000;

/** Push Kit takes a second at least. */
const lifetime = (seconds: number): string => `${Math.min(Math.max(seconds, 1), LONGEST_TTL_SECONDS)}s`;

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

export function fitsHms(body: Buffer, limit: number): boolean {
  if (body.length <= limit) return true;
  if (body.length >= OVERSIZED_BYTES) return false;
  const { message } = JSON.parse(body.toString('utf8')) as HmsRequest;
  return body.length - Buffer.byteLength(message.token[0]) <= limit;
}
