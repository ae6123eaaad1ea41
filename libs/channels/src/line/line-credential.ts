import { type CredentialDefinition, headerText } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';

/** The channel of an official account at LINE. */
export interface LineCredential {
  readonly accessToken: string;
}

/** The stored settings of LINE (R-A6). */
export const lineCredential: CredentialDefinition<LineCredential> = {
  requiredFor: () => ['line_channel_access_token'],

  async read({ settings }) {
    const accessToken = headerText(settings.get('line_channel_access_token'));
    return accessToken === undefined ? localResults.unusableSetting : { accessToken };
  },

  identityOf: ({ accessToken }) => [accessToken],
};
