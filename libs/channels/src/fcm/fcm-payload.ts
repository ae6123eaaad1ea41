import {
  compilePayload,
  type Fragment,
  json,
  jsonString,
  type MessageKey,
  object,
  OVERSIZED_BYTES,
  token,
} from '@tidings/messaging';
import { androidData, urgencyOf } from '../android-data.ts';
import { BY_FCM, browserFragments } from '../webpush/webpush-payload.ts';
import { webPushHeaders } from '../webpush/webpush-headers.ts';
import type { ChannelPayload, Push } from '../channel-definition.ts';
import { parseObject } from '../exact-json.ts';
import { inLanguage } from '../locale-settings.ts';
import { remainingTtl } from '../remaining-ttl.ts';

const LIMIT = 4096;
const LONGEST_TTL_SECONDS = 2_419_200;

export function fcmPayload(push: Push, language: string, key: MessageKey): ChannelPayload {
  const message = inLanguage(push, language);
  const whole = object({
    message: object({
      token,
      ...(message.variant === BY_FCM ? pageFragments : appFragments)(message, language, key),
    }),
  });
  return { payload: compilePayload(whole), limit: LIMIT };
}

function collapseKeyIn(rootParams: string | undefined): string | undefined {
  const { collapse_key: key } = parseObject(rootParams);
  return typeof key === 'string' ? key : undefined;
}

function appFragments(message: Push, language: string, key: MessageKey): Record<string, Fragment> {
  const content = message.content!;
  const ttlSeconds = remainingTtl(content.android?.ttlSeconds, message);
  const ttl = ttlSeconds === undefined ? undefined : `${Math.min(ttlSeconds, LONGEST_TTL_SECONDS)}s`;
  return {
    android: json({
      collapse_key: collapseKeyIn(content.android?.rootParams),
      priority: urgencyOf(content, content.android),
      ttl,
    }),
    data: androidData(message, content.android, language, key),
  };
}

function pageFragments(message: Push, language: string, key: MessageKey): Record<string, Fragment> {
  const names = webPushHeaders(message);
  const headers = Object.fromEntries(
    Array.from({ length: names.length / 2 }, (_, i) => [names[2 * i]!, names[2 * i + 1]!]),
  );
  return { webpush: json({ headers }), data: object(browserFragments(message, language, key, jsonString)) };
}

interface FcmRequest {
  readonly message: { readonly data: Readonly<Record<string, string>> };
}

export function fitsFcm(body: Buffer, limit: number): boolean {
  if (body.length <= limit) return true;
  if (body.length >= OVERSIZED_BYTES) return false;
  const { data } = (JSON.parse(body.toString('utf8')) as FcmRequest).message;
  const bytes = Object.entries(data).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return bytes <= limit;
}
