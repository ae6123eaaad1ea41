import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { apnsCredential, type ApnsCredential } from './apns-credential.ts';
import { appleContentOf } from './apple-content.ts';
import { apnsPayload } from './apns-payload.ts';
import { apnsRefusal } from './apns-results.ts';

/** Apple's push service. */
export const apns: ChannelDefinition<ApnsCredential> = {
  platforms: [Platform.iOS, Platform.MacOS],
  variants: { [ALERT]: { channel: 'apns' } },
  variantsFor: () => [ALERT],
  credential: apnsCredential,
  // By the collapse id.
  masksRepeats: true,
  // Tokens are hexadecimal.
  tokenText: (token) => token.toLowerCase(),
  ownTextsOf: ({ ios, mac }) => ({
    localized: [ios, mac].flatMap((own) => [own?.text, own?.title, own?.subtitle]),
    urls: [ios?.attachment, ...[ios, mac].flatMap((own) => [own?.openAction?.link, own?.openAction?.remotePage])],
  }),
  badgeOf: (kind) => appleContentOf(kind).badge,
  ttlSecondsOf: (kind) => appleContentOf(kind).ttlSeconds,
  compile: apnsPayload,
  fits: (body, limit) => body.length <= limit,
  refusal: apnsRefusal,
};
