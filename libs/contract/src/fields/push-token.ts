import { addressKindOf, TOKEN_BYTES } from '@tidings/kernel';
import type { z } from 'zod';
import { anyIdentity, anyText } from '../values.ts';
import { isAnyBase64 } from './base64.ts';

const WEB_PUSH_BYTES = 2048;

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

export const deviceToken = bytesUpTo(TOKEN_BYTES);

export const webPushKey = bytesUpTo(WEB_PUSH_BYTES).refine(isAnyBase64, 'must be base64');

function endpointUrl(endpoint: string): URL | undefined {
  const url = URL.parse(endpoint);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Undefined if the platform has one provider, or the token is no URL. */
export const pushUrlOf = (platform: number, token: string): URL | undefined =>
  isWebPush(platform) && token !== '' ? endpointUrl(token) : undefined;

const tokenWords = {
  maxLength: TOKEN_BYTES,
  constraint: `${upTo(TOKEN_BYTES)}; the endpoint of a web push subscription up to ${WEB_PUSH_BYTES}`,
};

/** The limit depends on the platform: use it with {@link checkPushToken}. */
export const pushToken = anyIdentity.meta(tokenWords);

export const anyPushToken = anyText.meta(tokenWords);

export function pushTokenFault(platform: number, token: string): string | undefined {
  const max = isWebPush(platform) ? WEB_PUSH_BYTES : TOKEN_BYTES;
  if (!isWithinBytes(token, max)) return tooLong(max);
  const isEndpoint = !isWebPush(platform) || token === '' || endpointUrl(token) !== undefined;
  return isEndpoint ? undefined : "must be the address of a subscription's endpoint";
}

export function checkPushToken(context: z.core.ParsePayload, platform: number, token = ''): void {
  const message = pushTokenFault(platform, token);
  if (message !== undefined) context.issues.push({ code: 'custom', message, path: ['push_token'], input: token });
}
