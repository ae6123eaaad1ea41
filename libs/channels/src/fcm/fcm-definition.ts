import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { fcmCredential, type FcmCredential } from './fcm-credential.ts';
import { fcmPayload, fitsFcm } from './fcm-payload.ts';
import { BY_FCM, browserTtlSeconds } from '../webpush/webpush-payload.ts';
import { fcmRefusal } from './fcm-results.ts';

/** Firebase Cloud Messaging. */
export const fcm: ChannelDefinition<FcmCredential> = {
  platforms: [Platform.Android],
  variants: { [ALERT]: { channel: 'fcm' } },
  variantsFor: () => [ALERT],
  credential: fcmCredential,
  // By the collapse key while the device is offline, and by the notification's tag once it is shown.
  masksRepeats: true,
  tokenText: (token) => token,
  ownTextsOf: ({ android }) => ({
    localized: [android?.text, android?.title],
    urls: [android?.banner, android?.customIcon, android?.openAction?.link, android?.openAction?.remotePage],
  }),
  badgeOf: ({ content, variant }) => (variant === BY_FCM ? undefined : content?.android?.badge),
  ttlSecondsOf: ({ content, platform, variant }) =>
    variant === BY_FCM ? browserTtlSeconds(content, platform) : content?.android?.ttlSeconds,
  compile: fcmPayload,
  fits: fitsFcm,
  refusal: fcmRefusal,
};
