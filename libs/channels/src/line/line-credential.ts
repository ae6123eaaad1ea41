import { type CredentialDefinition, headerText } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';

export interface LineCredential {
  readonly accessToken: string;
}

export const lineCredential: CredentialDefinition<LineCredential> = {
  requiredFor: () => ['line_channel_access_token'],

  async read({ settings }) {
    const accessToken = headerText(settings.get('line_channel_access_token'));
    return accessToken === undefined ? localResults.unusableSetting : { accessToken };
  },

  identityOf: ({ accessToken }) => [accessToken],
};
