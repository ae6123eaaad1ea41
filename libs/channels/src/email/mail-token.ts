import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Seq } from '@tidings/kernel';
import { readBase32, writeBase32 } from './base32.ts';

/** The mails of a message in an application. */
export interface MailingReference {
  /** Code: upper-case hex, 4-8-8. */
  readonly message: string;
  /** Below 2^53. */
  readonly messageId: bigint;
  /** Code: upper-case hex, 5-5. */
  readonly application: string;
  /** Unix seconds of the beginning of the send: the address of the recipient was read after it. */
  readonly sentAt: number;
}

/** One mail of a message in an application. */
export interface MailReference extends MailingReference {
  readonly seq: Seq;
}

/** Bytes of each field, one after the other. */
const LENGTHS = { messageId: 7, message: 10, application: 5, sentAt: 4, seq: 4, mac: 8 } as const;
const MESSAGE_AT = LENGTHS.messageId;
const APPLICATION_AT = MESSAGE_AT + LENGTHS.message;
const SENT_AT = APPLICATION_AT + LENGTHS.application;
const SEQ_AT = SENT_AT + LENGTHS.sentAt;
const MAC_AT = SEQ_AT + LENGTHS.seq;
const BYTES = MAC_AT + LENGTHS.mac;

/** Characters of a token: with two more it is a local part of at most 64 (RFC 5321). */
export const MAIL_TOKEN_LENGTH = Math.ceil((BYTES * 8) / 5);

/** The key of mail tokens, from the key that signs statistics hashes. */
export const mailTokenKeyOf = (reportKey: KeyObject): KeyObject =>
  createSecretKey(createHmac('sha256', reportKey).update('mail tokens').digest());

const macOf = (key: KeyObject, bytes: Uint8Array): Buffer =>
  createHmac('sha256', key).update(bytes.subarray(0, MAC_AT)).digest().subarray(0, LENGTHS.mac);

const hex = (code: string): string => code.replaceAll('-', '');

/**
 * The tokens of a message's mails, by the number of the recipient. A token names its mail to whoever has the key, so nothing is stored per mail. It has
 * {@link MAIL_TOKEN_LENGTH} lower-case letters and digits and is compared in any case, because mail servers may fold it. It is the same for each try.
 */
export function mailTokens(key: KeyObject, mailing: MailingReference): (seq: Seq) => string {
  const bytes = Buffer.alloc(BYTES);
  bytes.writeUIntBE(Number(mailing.messageId >> 48n), 0, 1);
  bytes.writeUIntBE(Number(mailing.messageId & 0xffff_ffff_ffffn), 1, 6);
  bytes.write(hex(mailing.message), MESSAGE_AT, LENGTHS.message, 'hex');
  bytes.write(hex(mailing.application), APPLICATION_AT, LENGTHS.application, 'hex');
  bytes.writeUInt32BE(mailing.sentAt, SENT_AT);
  return (seq) => {
    bytes.writeUInt32BE(seq, SEQ_AT);
    bytes.set(macOf(key, bytes), MAC_AT);
    return writeBase32(bytes);
  };
}

/** A code of groups of hex digits. */
function codeAt(bytes: Buffer, at: number, groups: readonly number[]): string {
  let digits = bytes.toString('hex', at, at + groups.reduce((sum, length) => sum + length) / 2).toUpperCase();
  return groups
    .map((length) => {
      const group = digits.slice(0, length);
      digits = digits.slice(length);
      return group;
    })
    .join('-');
}

/** The mail that a token names; undefined for a text that is no token of this key. */
export function parseMailToken(key: KeyObject, text: string): MailReference | undefined {
  if (text.length !== MAIL_TOKEN_LENGTH) return undefined;
  const bytes = readBase32(text.toLowerCase(), BYTES);
  if (!bytes || !timingSafeEqual(macOf(key, bytes), bytes.subarray(MAC_AT))) return undefined;
  return {
    messageId: (BigInt(bytes.readUIntBE(0, 1)) << 48n) | BigInt(bytes.readUIntBE(1, 6)),
    message: codeAt(bytes, MESSAGE_AT, [4, 8, 8]),
    application: codeAt(bytes, APPLICATION_AT, [5, 5]),
    sentAt: bytes.readUInt32BE(SENT_AT),
    seq: bytes.readUInt32BE(SEQ_AT),
  };
}

const PREFIX = 'b-';

/** The envelope sender of a mail: its bounces come to this address (VERP). */
export const returnPathOf = (token: string, domain: string): string => `${PREFIX}${token}@${domain}`;

/** The token in the local part of a return path; undefined for other local parts. */
export const tokenInReturnPath = (local: string): string | undefined =>
  local.slice(0, PREFIX.length).toLowerCase() === PREFIX ? local.slice(PREFIX.length) : undefined;

/** The left part of a Message-ID. */
export const messageIdOf = (hash: string, token: string): string => `${hash}.${token}`;
