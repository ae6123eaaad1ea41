import { Platform } from '@tidings/kernel';
import { androidBadge, androidHasContent } from '../android-data.ts';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { hmsCredential, type HmsCredential } from './hms-credential.ts';
import { fitsHms, hmsPayload } from './hms-payload.ts';
import { hmsRefusal } from './hms-results.ts';

export const hms: ChannelDefinition<HmsCredential> = {
  platforms: [Platform.Huawei],
  variants: { [ALERT]: { channel: 'hms' } },
  variantsFor: () => [ALERT],
  credential: hmsCredential,
  // Push Kit's collapse keys end at 100, so the notification's tag masks them.
  masksRepeats: true,
  tokenText: (token) => token,
  ownTextsOf: ({ huawei }) => ({
    localized: [huawei?.text, huawei?.title],
    urls: [huawei?.banner, huawei?.customIcon, huawei?.openAction?.link, huawei?.openAction?.remotePage],
  }),
  hasContent: ({ content }, language) => androidHasContent(content!, content!.huawei, language),
  badgeOf: ({ content }) => androidBadge(content?.huawei),
  ttlSecondsOf: ({ content }) => content?.huawei?.ttlSeconds,
  compile: hmsPayload,
  fits: fitsHms,
  readsSuccess: true,
  refusal: hmsRefusal,
};
