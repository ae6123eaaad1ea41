import { createHash } from 'node:crypto';
import type { Kind } from '../behaviour.ts';
import { specialReasonToken, specialToken } from '../special-tokens.ts';
import type { FcmErrorName } from './errors.ts';

/** Deterministic; accepted ones look like Google's. @param argument see the README. @default 1 for kinds that count */
export const fcmToken = (kind: Exclude<Kind, 'reason'>, n: number, argument?: number): string => {
  if (kind !== 'accepted') return specialToken(kind, n, argument);
  const part = (salt: number): string => createHash('sha512').update(`fcm ${salt} ${n}`).digest('base64url');
  return `${part(0).slice(0, 22)}:APA91b${part(1)}${part(2).slice(0, 48)}`;
};

export const fcmReasonToken = (error: FcmErrorName, n: number): string => specialReasonToken(error, n);
