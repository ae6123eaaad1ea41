import { type CredentialDefinition, headerText } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';

export interface KakaoCredential {
  readonly senderKey: string;
  readonly appKey: string;
  readonly secretKey: string;
}

const SENDER_KEY = 'kakao_sender_key';
const APP_KEY = 'kakao_app_key';
const SECRET_KEY = 'kakao_secret_key';

export const kakaoCredential: CredentialDefinition<KakaoCredential> = {
  requiredFor: () => [SENDER_KEY, APP_KEY, SECRET_KEY],

  async read({ settings }) {
    const secretKey = headerText(settings.get(SECRET_KEY));
    if (secretKey === undefined) return localResults.unusableSetting;
    return { senderKey: settings.get(SENDER_KEY)!, appKey: settings.get(APP_KEY)!, secretKey };
  },

  identityOf: ({ appKey, senderKey }) => [appKey, senderKey],
};
