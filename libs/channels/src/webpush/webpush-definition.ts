import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { plainText } from '../plain-text.ts';
import { webPushCredential, type WebPushCredential } from './webpush-credential.ts';
import { BY_FCM, browserHasContent, browserTtlSeconds, webPushPayload } from './webpush-payload.ts';
import { webPushRefusal } from './webpush-results.ts';

export const webpush: ChannelDefinition<WebPushCredential> = {
  platforms: [Platform.Chrome, Platform.Firefox],
  variants: {
    [ALERT]: { channel: 'webpush', columns: ['publicKey', 'authToken'] },
    [BY_FCM]: { channel: 'fcm', address: 'fcmToken' },
  },
  variantsFor: () => [ALERT, BY_FCM],
  credential: webPushCredential,
  // The topic masks them, then the notification's tag.
  masksRepeats: true,
  tokenText: (token) => token,
  ownTextsOf: ({ chrome, firefox }) => ({
    localized: [
      ...[chrome, firefox].flatMap((own) => [own?.title, own?.text]),
      ...[chrome?.buttonText1, chrome?.buttonText2].map(plainText),
    ],
    urls: [
      ...[chrome?.image, chrome?.buttonUrl1, chrome?.buttonUrl2],
      ...[chrome, firefox].flatMap((own) => [own?.icon, own?.openAction?.link, own?.openAction?.remotePage]),
    ],
  }),
  hasContent: browserHasContent,
  badgeOf: () => undefined,
  ttlSecondsOf: ({ content, platform }) => browserTtlSeconds(content, platform),
  compile: webPushPayload,
  fits: (body, limit) => body.length <= limit,
  refusal: webPushRefusal,
};
