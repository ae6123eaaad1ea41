import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { wnsCredential, type WnsCredential } from './wns-credential.ts';
import { wnsHasContent, wnsPayload } from './wns-payload.ts';
import { wnsResult } from './wns-results.ts';

export const wns: ChannelDefinition<WnsCredential> = {
  platforms: [Platform.Windows],
  variants: { [ALERT]: { channel: 'wns' } },
  variantsFor: () => [ALERT],
  credential: wnsCredential,
  // A tag replaces tiles only, and it is the caller's.
  masksRepeats: false,
  tokenText: (token) => token,
  ownTextsOf: ({ windows }) => ({
    localized: [windows?.notification, windows?.text, windows?.title],
    urls: [windows?.openAction?.link, windows?.openAction?.remotePage],
  }),
  hasContent: wnsHasContent,
  badgeOf: () => undefined,
  ttlSecondsOf: ({ content }) => content?.windows?.ttlSeconds,
  compile: wnsPayload,
  fits: (body, limit) => body.length <= limit,
  // WNS accepts notifications, and says in a header that it has dropped them.
  readsSuccess: true,
  refusal: (status, _, headers) => ({ result: wnsResult(status, headers) }),
};
