import type { KeyObject } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { CredentialDefinition, KeyOpener } from '../credential-definition.ts';

export interface Mailbox {
  readonly address: string;
  readonly name: string;
}

export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  readonly key: KeyObject;
}

export interface MailSender {
  readonly from: Mailbox;
  readonly replyTo: Mailbox | undefined;
  readonly dkim: DkimKey | undefined;
}

export function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1));
  return domain === '' ? address : `${address.slice(0, at)}@${domain}`;
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

const PRIVATE_KEY = 'email_dkim_private_key';

/** Receivers verify RSA of 1024 bits and more, and Ed25519 (RFC 8301 3.2, RFC 8463). */
const dkimKey = (pem: string, open: Pick<KeyOpener, 'key'>): KeyObject =>
  open.key(pem, { types: ['rsa', 'ed25519'], leastRsaBits: 1024 });

export const emailCredential: CredentialDefinition<MailSender> = {
  requiredFor: () => ['email_from_email'],

  async read({ settings }, open) {
    const of = (name: string): string => settings.get(name) ?? '';
    const from = { address: asciiAddress(of('email_from_email')), name: of('email_from_name') };
    const reply = of('email_reply');
    const replyTo = reply === '' ? undefined : { address: asciiAddress(reply), name: '' };
    const pem = of(PRIVATE_KEY);
    if (pem === '') return { from, replyTo, dkim: undefined };
    const dkim = { domain: of('email_dkim_domain'), selector: of('email_dkim_selector'), key: dkimKey(pem, open) };
    return { from, replyTo, dkim };
  },

  opened: { [PRIVATE_KEY]: dkimKey },

  identityOf: ({ from, dkim }) => [from.address, dkim?.domain ?? '', dkim?.selector ?? ''],
};
