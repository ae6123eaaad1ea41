import { createHash } from 'node:crypto';
import { defaultArgument, type Kind, kinds } from '../behaviour.ts';
import { type FcmErrorName, isFcmError } from './errors.ts';

/** Prefix of special registration tokens, which request a behaviour; any other token is accepted. */
export const FCM_MARKER = 'sim:';

/**
 * The n-th registration token of a kind; deterministic. Accepted ones look like Google's.
 * @param argument see the README. @default 1 for kinds that count
 */
export const fcmToken = (
  kind: Exclude<Kind, 'reason'>,
  n: number,
  argument: number = defaultArgument(kind),
): string => {
  if (kind !== 'accepted') return `${FCM_MARKER}${kind}:${argument}:${n}`;
  const part = (salt: number): string => createHash('sha512').update(`fcm ${salt} ${n}`).digest('base64url');
  return `${part(0).slice(0, 22)}:APA91b${part(1)}${part(2).slice(0, 48)}`;
};

/** The n-th registration token that is always refused with this error. */
export const fcmReasonToken = (error: FcmErrorName, n: number): string => `${FCM_MARKER}reason:${error}:${n}`;

export interface FcmRequestOfToken {
  readonly kind: Kind;
  readonly argument: number;
  /** For the kind `reason`. */
  readonly error: FcmErrorName;
}

/** The behaviour that the token requests; undefined for tokens without the marker. */
export const parseFcmToken = (token: string): FcmRequestOfToken | undefined => {
  if (!token.startsWith(FCM_MARKER)) return undefined;
  const [, name = '', argument = ''] = token.split(':');
  const kind = kinds.find((known) => known === name) ?? 'accepted';
  return { kind, argument: Number.parseInt(argument, 10) || 0, error: isFcmError(argument) ? argument : 'INTERNAL' };
};
