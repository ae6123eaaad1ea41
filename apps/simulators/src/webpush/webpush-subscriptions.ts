import { createECDH, createHash, type ECDH } from 'node:crypto';
import { defaultArgument, type Kind } from '../behaviour.ts';
import { type SpecialToken, specialIn } from '../special-tokens.ts';
import type { WebPushReason } from './webpush-reasons.ts';

export interface WebPushSubscription {
  readonly path: string;
  /** `p256dh` and `auth` in base64url. */
  readonly publicKey: string;
  readonly authToken: string;
}

const PATH = '/push/';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Derived from the id: the simulator keeps none. */
export function keysOf(id: string): { readonly ecdh: ECDH; readonly authSecret: Buffer } {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(digest(`web push key ${id}`));
  return { ecdh, authSecret: digest(`web push auth ${id}`).subarray(0, 16) };
}

function subscription(id: string): WebPushSubscription {
  const { ecdh, authSecret } = keysOf(id);
  return {
    path: `${PATH}${id}`,
    publicKey: ecdh.getPublicKey('base64url'),
    authToken: authSecret.toString('base64url'),
  };
}

/** Deterministic. @param argument see the README. @default 1 for kinds that count */
export const webPushSubscription = (
  kind: Exclude<Kind, 'reason'>,
  n: number,
  argument: number = defaultArgument(kind),
): WebPushSubscription => subscription(`${kind}.${argument}.${n}`);

export const webPushReasonSubscription = (reason: WebPushReason, n: number): WebPushSubscription =>
  subscription(`reason.${reason}.${n}`);

/** Undefined for other paths. */
export function parseWebPushPath(path: string): (SpecialToken & { readonly id: string }) | undefined {
  if (!path.startsWith(PATH)) return undefined;
  const id = path.slice(PATH.length);
  const special = specialIn(id, '.');
  return special && { ...special, id };
}
