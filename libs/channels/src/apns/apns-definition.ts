import type { IosContent, Localized, MacContent } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { ACTIVITY_TOKEN } from '../device-fields.ts';
import { plainText } from '../plain-text.ts';
import { apnsCredential, type ApnsCredential } from './apns-credential.ts';
import { appleContentOf } from './apple-content.ts';
import { apnsHasContent, apnsPayload, shownBadge } from './apns-payload.ts';
import { apnsRefusal } from './apns-results.ts';
import {
  apnsTtlSeconds,
  apnsVariantsFor,
  isLive,
  LIVE_START,
  LIVE_UPDATE,
  liveActivityPayload,
} from './live-activity.ts';
import { websitePayload } from './website-payload.ts';

type Own = IosContent | MacContent | undefined;

const textsOf = (own: Own): readonly (Localized | undefined)[] => [own?.text, own?.title, own?.subtitle];
const actionUrls = (own: Own): readonly (string | undefined)[] => [own?.openAction?.link, own?.openAction?.remotePage];

export const apns: ChannelDefinition<ApnsCredential> = {
  platforms: [Platform.iOS, Platform.MacOS, Platform.Safari],
  variants: {
    [ALERT]: { channel: 'apns' },
    [LIVE_START]: { channel: 'apns', address: 'startToken' },
    [LIVE_UPDATE]: { channel: 'apns', address: ACTIVITY_TOKEN },
  },
  variantsFor: apnsVariantsFor,
  credential: apnsCredential,
  masksRepeats: true,
  // Some apps send the description of NSData, `<aabbccdd eeff…>`.
  tokenText: (token) => token.toLowerCase().replace(/[<>\s]+/g, ''),
  ownTextsOf: ({ ios, mac, safari }) => ({
    localized: [...[ios, mac].flatMap(textsOf), safari?.title, safari?.text, plainText(safari?.action)],
    urls: [ios?.attachment, ...[ios, mac].flatMap(actionUrls), ...(safari?.urlArgs ?? [])],
  }),
  hasContent: apnsHasContent,
  badgeOf: shownBadge,
  ttlSecondsOf: apnsTtlSeconds,
  compile(push, language, key) {
    if (isLive(push)) return liveActivityPayload(push, language, key);
    return appleContentOf(push).website ? websitePayload(push, language, key) : apnsPayload(push, language, key);
  },
  fits: (body, limit) => body.length <= limit,
  refusal: apnsRefusal,
};
