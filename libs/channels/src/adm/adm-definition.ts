import { Platform } from '@tidings/kernel';
import { androidBadge, androidHasContent } from '../android-data.ts';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { admCredential, type AdmCredential } from './adm-credential.ts';
import { admPayload, fitsAdm } from './adm-payload.ts';
import { admRefusal } from './adm-results.ts';

export const adm: ChannelDefinition<AdmCredential> = {
  platforms: [Platform.Amazon],
  variants: { [ALERT]: { channel: 'adm' } },
  variantsFor: () => [ALERT],
  credential: admCredential,
  // The consolidation key masks them, then the notification's tag.
  masksRepeats: true,
  tokenText: (token) => token,
  ownTextsOf: ({ amazon }) => ({
    localized: [amazon?.text, amazon?.title],
    urls: [amazon?.banner, amazon?.customIcon, amazon?.openAction?.link, amazon?.openAction?.remotePage],
  }),
  hasContent: ({ content }, language) => androidHasContent(content!, content!.amazon, language),
  badgeOf: ({ content }) => androidBadge(content?.amazon),
  ttlSecondsOf: ({ content }) => content?.amazon?.ttlSeconds,
  compile: admPayload,
  fits: fitsAdm,
  readsSuccess: true,
  refusal: admRefusal,
};
