import { Platform, TOKEN_BYTES } from '@tidings/kernel';
import type { z } from 'zod';
import { anyText } from '../values.ts';
import { isAnyBase64 } from './base64.ts';

/** Bytes of the endpoint of a web push subscription, and of each of its keys, in UTF-8 (R-LM6). */
const WEB_PUSH_BYTES = 2048;

/** The push token of these platforms is the endpoint of a subscription. */
const isWebPush = (platform: number): boolean => platform === Platform.Chrome || platform === Platform.Firefox;

/** A character takes 1 to 3 bytes for each of its UTF-16 units, so only texts in between are measured. */
const isWithinBytes = (text: string, max: number): boolean =>
  text.length * 3 <= max || (text.length <= max && Buffer.byteLength(text) <= max);

const tooLong = (max: number): string => `must have up to ${max} bytes`;
const upTo = (max: number): string => `Up to ${max} bytes in UTF-8`;

const bytesUpTo = (max: number) =>
  anyText.refine((value) => isWithinBytes(value, max), tooLong(max)).meta({ maxLength: max, description: upTo(max) });

/** A token whose limit does not depend on a platform: up to 4096 bytes (R-LM6). */
export const deviceToken = bytesUpTo(TOKEN_BYTES);

/** A key of a web push subscription in any base64, of up to 2048 bytes (R-LM6, R-RES2). */
export const webPushKey = bytesUpTo(WEB_PUSH_BYTES).refine(isAnyBase64, 'must be base64');

/** The host of a subscription's endpoint; undefined for what is no http(s) address. */
function endpointHost(endpoint: string): string | undefined {
  const url = URL.parse(endpoint);
  return url && /^https?:$/.test(url.protocol) ? url.hostname : undefined;
}

/** The host that a token of this platform is sent to; undefined where its provider is the platform's, or the token is no address. */
export const pushHostOf = (platform: number, token: string): string | undefined =>
  isWebPush(platform) && token !== '' ? endpointHost(token) : undefined;

/** A push token, whose limit depends on its platform: {@link checkPushToken} goes with it. */
export const pushToken = anyText.meta({
  maxLength: TOKEN_BYTES,
  description: `${upTo(TOKEN_BYTES)}; the endpoint of a web push subscription up to ${WEB_PUSH_BYTES}`,
});

/** What is wrong with a platform's push token, by its size or because it is no endpoint; undefined where nothing is (R-LM6, R-RES2). */
export function pushTokenFault(platform: number, token: string): string | undefined {
  const max = isWebPush(platform) ? WEB_PUSH_BYTES : TOKEN_BYTES;
  if (!isWithinBytes(token, max)) return tooLong(max);
  const isEndpoint = !isWebPush(platform) || token === '' || endpointHost(token) !== undefined;
  return isEndpoint ? undefined : "must be the address of a subscription's endpoint";
}

/** Refuses the field `push_token` of an object where it is none of its platform: {@link pushTokenFault}. */
export function checkPushToken(context: z.core.ParsePayload, platform: number, token = ''): void {
  const message = pushTokenFault(platform, token);
  if (message !== undefined) context.issues.push({ code: 'custom', message, path: ['push_token'], input: token });
}
