import type { KeyObject } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { CredentialDefinition } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';

/** An address and the name before it; "" without a name. */
export interface Mailbox {
  readonly address: string;
  readonly name: string;
}

/** The key that signs the mails of a domain (RFC 6376). */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  readonly key: KeyObject;
}

/** The sender of an application's mails. */
export interface MailSender {
  readonly from: Mailbox;
  /** Undefined = the sender. */
  readonly replyTo: Mailbox | undefined;
  readonly dkim: DkimKey | undefined;
}

/** An address with its domain in ASCII, as SMTP and headers carry it. */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1));
  return domain === '' ? address : `${address.slice(0, at)}@${domain}`;
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

const DKIM_KEYS: ReadonlySet<string | undefined> = new Set(['rsa', 'ed25519']);

/** The stored settings of e-mail: the sender, and what signs its mails (R-A6). */
export const emailCredential: CredentialDefinition<MailSender> = {
  requiredFor: () => ['email_from_email'],

  async read({ settings }, open) {
    const of = (name: string): string => settings.get(name) ?? '';
    const from = { address: asciiAddress(of('email_from_email')), name: of('email_from_name') };
    const reply = of('email_reply');
    const replyTo = reply === '' ? undefined : { address: asciiAddress(reply), name: '' };
    const pem = of('email_dkim_private_key');
    if (pem === '') return { from, replyTo, dkim: undefined };
    const key = open.key(pem);
    if (!DKIM_KEYS.has(key.asymmetricKeyType)) return localResults.unusableKey;
    const dkim = { domain: of('email_dkim_domain'), selector: of('email_dkim_selector'), key };
    return { from, replyTo, dkim };
  },

  identityOf: ({ from, dkim }) => [from.address, dkim?.domain ?? '', dkim?.selector ?? ''],
};
