import { Platform } from '@tidings/kernel';
import { androidBadge, androidHasContent } from '../android-data.ts';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { fcmCredential, type FcmCredential } from './fcm-credential.ts';
import { fcmPayload, fitsFcm } from './fcm-payload.ts';
import { BY_FCM, browserHasContent, browserTtlSeconds } from '../webpush/webpush-payload.ts';
import { fcmRefusal } from './fcm-results.ts';

export const fcm: ChannelDefinition<FcmCredential> = {
  platforms: [Platform.Android],
  variants: { [ALERT]: { channel: 'fcm' } },
  variantsFor: () => [ALERT],
  credential: fcmCredential,
  // FCM keeps messages of only four collapse keys, so the tag masks them (ADR 66).
  masksRepeats: true,
  tokenText: (token) => token,
  ownTextsOf: ({ android }) => ({
    localized: [android?.text, android?.title],
    urls: [android?.banner, android?.customIcon, android?.openAction?.link, android?.openAction?.remotePage],
  }),
  hasContent: (kind, language) =>
    kind.variant === BY_FCM
      ? browserHasContent(kind, language)
      : androidHasContent(kind.content!, kind.content!.android, language),
  badgeOf: ({ content, variant }) => (variant === BY_FCM ? undefined : androidBadge(content?.android)),
  ttlSecondsOf: ({ content, platform, variant }) =>
    variant === BY_FCM ? browserTtlSeconds(content, platform) : content?.android?.ttlSeconds,
  compile: fcmPayload,
  fits: fitsFcm,
  refusal: fcmRefusal,
};
