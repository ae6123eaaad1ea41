import { hash } from 'node:crypto';

/** The namespace of all event UUIDs. It must never change. */
const NAMESPACE = Buffer.from('76b0b3a31b044ed8a4656b38e7ab5fab', 'hex');

/** The identity of an event (R-EV4). */
export interface EventIdentity {
  readonly messageId: bigint;
  readonly application: string;
  readonly hwid: string;
  readonly name: string;
  /** Distinguishes events of the same name. @default 1 */
  readonly occurrence?: number;
}

/** UUID version 5 of an event: the same at every redelivery and for every subscription. */
export function eventUuid({ messageId, application, hwid, name, occurrence = 1 }: EventIdentity): string {
  const text = Buffer.from(`${messageId}\n${application}\n${name}\n${occurrence}\n${hwid}`);
  const digest = hash('sha1', Buffer.concat([NAMESPACE, text]), 'buffer');
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
