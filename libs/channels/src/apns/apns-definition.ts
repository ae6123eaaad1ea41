import type { IosContent, Localized, MacContent } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { plainText } from '../plain-text.ts';
import { apnsCredential, type ApnsCredential } from './apns-credential.ts';
import { appleContentOf } from './apple-content.ts';
import { apnsPayload } from './apns-payload.ts';
import { apnsRefusal } from './apns-results.ts';
import { websitePayload } from './website-payload.ts';

/** An app of one of the platforms. */
type Own = IosContent | MacContent | undefined;

const textsOf = (own: Own): readonly (Localized | undefined)[] => [own?.text, own?.title, own?.subtitle];
const actionUrls = (own: Own): readonly (string | undefined)[] => [own?.openAction?.link, own?.openAction?.remotePage];

/** Apple's push service. */
export const apns: ChannelDefinition<ApnsCredential> = {
  platforms: [Platform.iOS, Platform.MacOS, Platform.Safari],
  variants: { [ALERT]: { channel: 'apns' } },
  variantsFor: () => [ALERT],
  credential: apnsCredential,
  // By the collapse id.
  masksRepeats: true,
  // Tokens are hexadecimal.
  tokenText: (token) => token.toLowerCase(),
  ownTextsOf: ({ ios, mac, safari }) => ({
    localized: [...[ios, mac].flatMap(textsOf), safari?.title, safari?.text, plainText(safari?.action)],
    urls: [ios?.attachment, ...[ios, mac].flatMap(actionUrls), ...(safari?.urlArgs ?? [])],
  }),
  badgeOf: (kind) => appleContentOf(kind).badge,
  ttlSecondsOf: (kind) => appleContentOf(kind).ttlSeconds,
  compile: (push, language, key) =>
    appleContentOf(push).website ? websitePayload(push, language, key) : apnsPayload(push, language, key),
  fits: (body, limit) => body.length <= limit,
  refusal: apnsRefusal,
};
