import type { CredentialDefinition } from '../credential-definition.ts';

export interface WnsCredential {
  readonly sid: string;
  readonly secret: string;
}

export const wnsCredential: CredentialDefinition<WnsCredential> = {
  requiredFor: () => ['wns_psid', 'wns_secret'],

  async read({ settings }) {
    return { sid: settings.get('wns_psid')!, secret: settings.get('wns_secret')! };
  },

  identityOf: ({ sid, secret }) => [sid, secret],
};
