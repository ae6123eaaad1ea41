import type { CredentialDefinition } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';

/** The channel of an official account at LINE. */
export interface LineCredential {
  readonly accessToken: string;
}

/** The stored settings of LINE (R-A6). */
export const lineCredential: CredentialDefinition<LineCredential> = {
  requiredFor: () => ['line_channel_access_token'],

  async read({ settings }) {
    const accessToken = settings.get('line_channel_access_token')!;
    // Nothing else can be in a header.
    return /^[\x21-\x7e]+$/.test(accessToken) ? { accessToken } : localResults.unusableKey;
  },

  identityOf: ({ accessToken }) => [accessToken],
};
