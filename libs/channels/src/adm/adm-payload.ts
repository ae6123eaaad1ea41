import { sendIdOf } from '@tidings/kernel';
import { compilePayload, json, type MessageKey, object, OVERSIZED_BYTES } from '@tidings/messaging';
import { androidData } from '../android-data.ts';
import type { ChannelPayload, Push } from '../channel-definition.ts';
import { inLanguage } from '../locale-settings.ts';
import { remainingTtl } from '../remaining-ttl.ts';

const LIMIT = 6144;
const SHORTEST_TTL_SECONDS = 60;
const LONGEST_TTL_SECONDS = 2_678_400;

const lifetime = (seconds: number): number => Math.min(Math.max(seconds, SHORTEST_TTL_SECONDS), LONGEST_TTL_SECONDS);

export function admPayload(push: Push, language: string, key: MessageKey): ChannelPayload {
  const message = inLanguage(push, language);
  const { amazon } = message.content!;
  const ttlSeconds = remainingTtl(amazon?.ttlSeconds, message);
  const whole = object({
    data: androidData(message, amazon, language, key),
    consolidationKey: json(sendIdOf(message)),
    expiresAfter: ttlSeconds === undefined ? undefined : json(lifetime(ttlSeconds)),
  });
  return { payload: compilePayload(whole), limit: LIMIT };
}

export function fitsAdm(body: Buffer, limit: number): boolean {
  if (body.length <= limit) return true;
  if (body.length >= OVERSIZED_BYTES) return false;
  const { data } = JSON.parse(body.toString('utf8')) as { readonly data: unknown };
  return Buffer.byteLength(JSON.stringify(data)) <= limit;
}
