import { Platform } from '@tidings/kernel';
import { androidBadge, androidHasContent } from '../android-data.ts';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { admCredential, type AdmCredential } from './adm-credential.ts';
import { admPayload, fitsAdm } from './adm-payload.ts';
import { admRefusal } from './adm-results.ts';

/** Amazon Device Messaging. */
export const adm: ChannelDefinition<AdmCredential> = {
  platforms: [Platform.Amazon],
  variants: { [ALERT]: { channel: 'adm' } },
  variantsFor: () => [ALERT],
  credential: admCredential,
  // By the consolidation key while the device is offline, and by the notification's tag once it is shown.
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
