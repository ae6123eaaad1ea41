import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import type { RetrySchedule } from '../retry-schedule.ts';
import { emailCredential, type MailSender } from './email-credential.ts';
import { emailPayload, mailHasContent } from './email-payload.ts';
import { mailRefusal } from './email-results.ts';
import { storedAddress } from './stored-address.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Mail servers ask to wait much longer than push services. */
const retries: RetrySchedule = {
  waitsMs: [1, 5, 15, 60, 120, 240].map((minutes) => minutes * MINUTE_MS),
  forMs: 24 * HOUR_MS,
};

export const email: ChannelDefinition<MailSender> = {
  platforms: [Platform.Email],
  variants: { [ALERT]: { channel: 'email' } },
  variantsFor: () => [ALERT],
  credential: emailCredential,
  // Mail servers do not compare Message-IDs.
  masksRepeats: false,
  retries,
  tokenText: storedAddress,
  ownTextsOf: ({ email: own }) => ({
    localized: [own?.subject, own?.body],
    urls: [own?.listUnsubscribe, own?.from?.name, own?.replyTo?.name],
  }),
  hasContent: ({ content }, language) => mailHasContent(content!, language),
  badgeOf: () => undefined,
  ttlSecondsOf: () => undefined,
  compile: (push, language, key) => emailPayload(push, language, key),
  fits: (body, limit) => body.length <= limit,
  refusal: mailRefusal,
};
