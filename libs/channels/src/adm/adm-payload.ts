import { sendIdOf } from '@tidings/kernel';
import { compilePayload, json, type MessageKey, object, OVERSIZED_BYTES } from '@tidings/messaging';
import { androidData } from '../android-data.ts';
import type { ChannelPayload, Push } from '../channel-definition.ts';
import { inLanguage } from '../locale-settings.ts';
import { remainingTtl } from '../remaining-ttl.ts';

/** Bytes of the data as JSON. */
const LIMIT = 6144;
const SHORTEST_TTL_SECONDS = 60;
const LONGEST_TTL_SECONDS = 2_678_400;

const lifetime = (seconds: number): number => Math.min(Math.max(seconds, SHORTEST_TTL_SECONDS), LONGEST_TTL_SECONDS);

/**
 * The request body for a message in a language: its data has strings only (Spec I). The registration id is in the path. A repeat that finds the
 * device offline replaces the original by the consolidation key.
 * @param key the message's, in the application of the devices
 */
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

/** Whether the data of a request is within ADM's limit. Only requests beyond the limit are parsed again. */
export function fitsAdm(body: Buffer, limit: number): boolean {
  if (body.length <= limit) return true;
  if (body.length >= OVERSIZED_BYTES) return false;
  const { data } = JSON.parse(body.toString('utf8')) as { readonly data: unknown };
  return Buffer.byteLength(JSON.stringify(data)) <= limit;
}
