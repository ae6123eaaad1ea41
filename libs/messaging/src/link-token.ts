import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Clock, Seq } from '@tidings/kernel';

export interface MailRecipient {
  readonly application: string;
  readonly message: string;
  readonly messageId: bigint;
  readonly seq: Seq;
  readonly writtenAt: number;
}

/** They differ, so that the target of a clicked link cannot unsubscribe its recipient. */
export type LinkPurpose = 'tracking' | 'preferences';

export const LINK_MS = 365 * 86_400_000;

const CODE_AT = 5;
const ID_AT = CODE_AT + 10;
const TIME_AT = ID_AT + 8;
const SEQ_AT = TIME_AT + 6;
const HEAD_BYTES = SEQ_AT + 4;
const MAC_BYTES = 15;
const macAt: Readonly<Record<LinkPurpose, number>> = { tracking: 0, preferences: MAC_BYTES };
export const LINK_TOKEN_LENGTH = ((HEAD_BYTES + MAC_BYTES) / 3) * 4;
const TOKEN = new RegExp(`^[\\w-]{${LINK_TOKEN_LENGTH}}$`);

export const linkKeyOf = (reportKey: KeyObject): KeyObject =>
  createSecretKey(createHmac('sha256', reportKey).update('tidings/mail-link').digest());

const digits = (code: string, lengths: readonly number[]): string =>
  code
    .split('-')
    .map((group, i) => group.padStart(lengths[i] ?? 0, '0'))
    .join('');
const APPLICATION = [5, 5];
const MESSAGE = [4, 8, 8];

function grouped(hex: string, lengths: readonly number[]): string {
  let at = 0;
  return lengths.map((length) => hex.slice(at, (at += length)).toUpperCase()).join('-');
}

const macsOf = (key: KeyObject, head: Uint8Array): Buffer => createHmac('sha256', key).update(head).digest();

export type LinkedMessage = Pick<MailRecipient, 'application' | 'message' | 'messageId'>;

/** One HMAC per recipient, however many links a mail has. */
export class LinkTokens {
  readonly #key: KeyObject;
  readonly #clock: Clock;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  readonly #token = Buffer.alloc(HEAD_BYTES + MAC_BYTES);
  readonly #texts: Record<LinkPurpose, string> = { tracking: '', preferences: '' };
  #seq: Seq = -1;

  constructor(key: KeyObject, { application, message, messageId }: LinkedMessage, clock: Clock) {
    this.#key = key;
    this.#clock = clock;
    this.#head.write(digits(application, APPLICATION), 0, 'hex');
    this.#head.write(digits(message, MESSAGE), CODE_AT, 'hex');
    this.#head.writeBigUInt64BE(messageId, ID_AT);
  }

  begin(): void {
    this.#seq = -1;
  }

  write(target: Buffer, at: number, purpose: LinkPurpose, seq: Seq): number {
    if (seq !== this.#seq) this.#sign(seq);
    return at + target.write(this.#texts[purpose], at, 'latin1');
  }

  #sign(seq: Seq): void {
    this.#seq = seq;
    this.#head.writeUIntBE(this.#clock.now(), TIME_AT, SEQ_AT - TIME_AT);
    this.#head.writeUInt32BE(seq, SEQ_AT);
    const macs = macsOf(this.#key, this.#head);
    this.#head.copy(this.#token);
    for (const purpose of ['tracking', 'preferences'] as const) {
      macs.copy(this.#token, HEAD_BYTES, macAt[purpose], macAt[purpose] + MAC_BYTES);
      this.#texts[purpose] = this.#token.toString('base64url');
    }
  }
}

/** In constant time; does not check the expiry. */
export function readLinkToken(key: KeyObject, purpose: LinkPurpose, token: string): MailRecipient | undefined {
  if (!TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const head = bytes.subarray(0, HEAD_BYTES);
  const mac = macsOf(key, head).subarray(macAt[purpose], macAt[purpose] + MAC_BYTES);
  if (!timingSafeEqual(mac, bytes.subarray(HEAD_BYTES))) return undefined;
  return {
    application: grouped(head.toString('hex', 0, CODE_AT), APPLICATION),
    message: grouped(head.toString('hex', CODE_AT, ID_AT), MESSAGE),
    messageId: head.readBigUInt64BE(ID_AT),
    writtenAt: head.readUIntBE(TIME_AT, SEQ_AT - TIME_AT),
    seq: head.readUInt32BE(SEQ_AT),
  };
}

const TARGET_MAC_BYTES = 15;

/** Binds a target to its message, so that the link leads nowhere else. */
export const targetMac = (
  key: KeyObject,
  { application, message }: Pick<LinkedMessage, 'application' | 'message'>,
  target: string,
): string =>
  createHmac('sha256', key)
    .update(`target\n${application}\n${message}\n${target}`)
    .digest()
    .toString('base64url', 0, TARGET_MAC_BYTES);

export function isTargetOf(
  key: KeyObject,
  message: Pick<LinkedMessage, 'application' | 'message'>,
  { target, mac }: { readonly target: string; readonly mac: string },
): boolean {
  const [expected, actual] = [targetMac(key, message, target), mac].map((text) => Buffer.from(text));
  return expected!.length === actual!.length && timingSafeEqual(expected!, actual!);
}
