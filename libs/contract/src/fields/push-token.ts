import { addressKindOf, TOKEN_BYTES } from '@tidings/kernel';
import type { z } from 'zod';
import { anyIdentity, anyText } from '../values.ts';
import { isAnyBase64 } from './base64.ts';

/** Maximum UTF-8 bytes of the endpoint of a web push subscription, and of each of its keys (R-LM6). */
const WEB_PUSH_BYTES = 2048;

/** Whether push tokens of the platform are endpoints of subscriptions. */
const isWebPush = (platform: number): boolean => addressKindOf(platform) === 'endpoint';

/** A UTF-16 unit takes 1 to 3 bytes, so only texts between those bounds are measured. */
const isWithinBytes = (text: string, max: number): boolean =>
  text.length * 3 <= max || (text.length <= max && Buffer.byteLength(text) <= max);

const tooLong = (max: number): string => `must have up to ${max} bytes`;
const upTo = (max: number): string => `Up to ${max} bytes in UTF-8`;

const bytesUpTo = (max: number) =>
  anyIdentity
    .refine((value) => isWithinBytes(value, max), tooLong(max))
    .meta({ maxLength: max, constraint: upTo(max) });

/** A token whose limit does not depend on the platform: up to 4096 bytes (R-LM6). */
export const deviceToken = bytesUpTo(TOKEN_BYTES);

/** A key of a web push subscription in base64 or base64url, of up to 2048 bytes (R-LM6, R-RES2). */
export const webPushKey = bytesUpTo(WEB_PUSH_BYTES).refine(isAnyBase64, 'must be base64');

/** The URL of a subscription's endpoint; undefined if it is not http(s). */
function endpointUrl(endpoint: string): URL | undefined {
  const url = URL.parse(endpoint);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** The URL that serves a token of this platform; undefined if the platform has one provider, or the token is not a URL. */
export const pushUrlOf = (platform: number, token: string): URL | undefined =>
  isWebPush(platform) && token !== '' ? endpointUrl(token) : undefined;

const tokenWords = {
  maxLength: TOKEN_BYTES,
  constraint: `${upTo(TOKEN_BYTES)}; the endpoint of a web push subscription up to ${WEB_PUSH_BYTES}`,
};

/** A push token. Its limit depends on the platform: use it with {@link checkPushToken}. */
export const pushToken = anyIdentity.meta(tokenWords);

/** {@link pushToken} that is not checked here. */
export const anyPushToken = anyText.meta(tokenWords);

/** The fault of a platform's push token, in size or as an endpoint; undefined if there is none (R-LM6, R-RES2). */
export function pushTokenFault(platform: number, token: string): string | undefined {
  const max = isWebPush(platform) ? WEB_PUSH_BYTES : TOKEN_BYTES;
  if (!isWithinBytes(token, max)) return tooLong(max);
  const isEndpoint = !isWebPush(platform) || token === '' || endpointUrl(token) !== undefined;
  return isEndpoint ? undefined : "must be the address of a subscription's endpoint";
}

/** Refuses an object whose field `push_token` is not valid on its platform: {@link pushTokenFault}. */
export function checkPushToken(context: z.core.ParsePayload, platform: number, token = ''): void {
  const message = pushTokenFault(platform, token);
  if (message !== undefined) context.issues.push({ code: 'custom', message, path: ['push_token'], input: token });
}
