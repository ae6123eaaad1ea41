import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { kakaoCredential, type KakaoCredential } from './kakao-credential.ts';
import { fitsKakao, kakaoPayload } from './kakao-payload.ts';
import { kakaoRefusal } from './kakao-results.ts';

export const kakao: ChannelDefinition<KakaoCredential> = {
  platforms: [Platform.Kakao],
  variants: { [ALERT]: { channel: 'kakao' } },
  variantsFor: () => [ALERT],
  credential: kakaoCredential,
  masksRepeats: false,
  tokenText: (token) => token,
  ownTextsOf: ({ kakao: own }) => ({
    localized: [],
    urls: own ? [own.text, ...own.values.map(({ text }) => text)] : [],
  }),
  hasContent: ({ content }) => content!.kakao !== undefined,
  badgeOf: () => undefined,
  ttlSecondsOf: () => undefined,
  compile: (push, _language, key, credential) => kakaoPayload(push, key, credential),
  fits: fitsKakao,
  readsSuccess: true,
  refusal: kakaoRefusal,
};
