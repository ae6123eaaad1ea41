import { type CredentialDefinition, headerText } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';

export interface WhatsAppCredential {
  readonly phoneNumberId: string;
  readonly accessToken: string;
}

const PHONE_NUMBER_ID = 'whats_app_phone_number_id';
const ACCESS_TOKEN = 'whats_app_access_token';

export const WHATSAPP_APP_SECRET = 'whats_app_app_secret';
export const WHATSAPP_VERIFY_TOKEN = 'whats_app_verify_token';

export const whatsAppCredential: CredentialDefinition<WhatsAppCredential> = {
  requiredFor: () => [PHONE_NUMBER_ID, ACCESS_TOKEN],

  async read({ settings }) {
    const accessToken = headerText(settings.get(ACCESS_TOKEN));
    if (accessToken === undefined) return localResults.unusableSetting;
    return { phoneNumberId: settings.get(PHONE_NUMBER_ID)!, accessToken };
  },

  // WhatsApp limits the rate of a sender, whichever token it uses.
  identityOf: ({ phoneNumberId }) => [phoneNumberId],
};
