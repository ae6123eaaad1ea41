import type { CredentialDefinition } from '../credential-definition.ts';

/** The identity of an app at the Windows Push Notification Services. */
export interface WnsCredential {
  /** Package SID of the app: `ms-app://…`. */
  readonly sid: string;
  readonly secret: string;
}

/** The stored settings of Windows (R-A4). */
export const wnsCredential: CredentialDefinition<WnsCredential> = {
  requiredFor: () => ['wns_psid', 'wns_secret'],

  async read({ settings }) {
    return { sid: settings.get('wns_psid')!, secret: settings.get('wns_secret')! };
  },

  identityOf: ({ sid, secret }) => [sid, secret],
};
