import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Seq } from '@tidings/kernel';
import { readBase32, writeBase32 } from './base32.ts';

export interface MailingReference {
  readonly message: string;
  readonly messageId: bigint;
  readonly application: string;
  /** Unix seconds; the recipient's address was read later. */
  readonly sentAt: number;
}

export interface MailReference extends MailingReference {
  readonly seq: Seq;
}

const LENGTHS = { messageId: 7, message: 10, application: 5, sentAt: 4, seq: 4, mac: 8 } as const;
const MESSAGE_AT = LENGTHS.messageId;
const APPLICATION_AT = MESSAGE_AT + LENGTHS.message;
const SENT_AT = APPLICATION_AT + LENGTHS.application;
const SEQ_AT = SENT_AT + LENGTHS.sentAt;
const MAC_AT = SEQ_AT + LENGTHS.seq;
const BYTES = MAC_AT + LENGTHS.mac;

/** Two more characters make a local part of at most 64 (RFC 5321). */
export const MAIL_TOKEN_LENGTH = Math.ceil((BYTES * 8) / 5);

export const mailTokenKeyOf = (reportKey: KeyObject): KeyObject =>
  createSecretKey(createHmac('sha256', reportKey).update('mail tokens').digest());

const macOf = (key: KeyObject, bytes: Uint8Array): Buffer =>
  createHmac('sha256', key).update(bytes.subarray(0, MAC_AT)).digest().subarray(0, LENGTHS.mac);

const hex = (code: string): string => code.replaceAll('-', '');

/** Tokens are deterministic, so nothing is stored. Mail servers may fold their case. */
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

export const returnPathOf = (token: string, domain: string): string => `${PREFIX}${token}@${domain}`;

export const tokenInReturnPath = (local: string): string | undefined =>
  local.slice(0, PREFIX.length).toLowerCase() === PREFIX ? local.slice(PREFIX.length) : undefined;

export const messageIdOf = (hash: string, token: string): string => `${hash}.${token}`;
