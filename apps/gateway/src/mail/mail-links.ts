import { type Clock, Fault } from '@tidings/kernel';
import { LINK_MS, linkKeyOf, type LinkPurpose, type MailRecipient, readLinkToken } from '@tidings/messaging';
import type { ApplicationView } from '@tidings/rpc';
import type { IdentityKeys } from '@tidings/runtime';
import type { KeyObject } from 'node:crypto';
import type { Access } from '../auth/access.ts';
import { keyFromReports } from '../auth/derived-keys.ts';

/** One text for all causes, which are not disclosed. */
export const DEAD_LINK = 'The link has expired or is not valid';

export interface LinkedRecipient extends MailRecipient {
  readonly account: string;
  readonly view: ApplicationView;
}

export interface MailLinkReaderDeps {
  readonly identity: () => Pick<IdentityKeys, 'report'>;
  readonly access: Pick<Access, 'anonymousAccess'>;
  readonly clock: Clock;
}

export interface MailLinkReader {
  readonly key: () => KeyObject;
  recipientOf(purpose: LinkPurpose, token: string): Promise<LinkedRecipient>;
}

export function mailLinkReader({ identity, access, clock }: MailLinkReaderDeps): MailLinkReader {
  const key = keyFromReports(identity, linkKeyOf);
  return {
    key,
    async recipientOf(purpose, token) {
      const recipient = readLinkToken(key(), purpose, token);
      if (!recipient || recipient.writtenAt + LINK_MS <= clock.now()) throw Fault.forbidden(DEAD_LINK);
      const found = await access.anonymousAccess(recipient.application);
      if (found.kind !== 'granted') throw Fault.forbidden(DEAD_LINK);
      return { ...recipient, account: found.application.account, view: found.application };
    },
  };
}
