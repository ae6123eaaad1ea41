import { LATE_ANSWER_MS } from '@tidings/delivery';
import { Platform } from '@tidings/kernel';
import { mailAddress } from '../../testing/test-simulators.ts';
import { channelFeatures } from '../channel.features.ts';
import { emailChannel } from './email-channel.ts';

channelFeatures({
  name: 'email',
  platform: Platform.Email,
  protocol: 'SMTP',
  masks: false,
  atMostOnce: true,
  hasTtl: false,
  invalidates: false,
  renews: false,
  // Servers throttle a client, whatever its credential: their replies are about single mails.
  throttle: 'none',
  // Replies to the connection, EHLO, sender, recipient, DATA, and mail.
  repliesPerMessage: 6,
  atOnce: 5,
  credentials: () => ({
    [Platform.Email]: {
      settings: { email_from_email: 'shop@example.com', email_from_name: 'Shop', email_reply: 'help@example.com' },
    },
  }),
  open: (parts, { smtpUrl }) =>
    emailChannel({
      ...parts,
      onFailure: () => undefined,
      url: smtpUrl,
      publicUrl: 'https://push.example',
      commandsMs: LATE_ANSWER_MS - parts.expiresEarlyMs,
    }),
  token: (kind, n, argument) => mailAddress(kind, n, argument),
  expired: /^INVALID_CONFIGURATION 530 /,
  words: {
    dead: 'BOUNCED_HARD_GENERAL',
    serverError: 'BOUNCED_SOFT_GENERAL',
    // Repeated for a day, as the mail itself is not written.
    unreadable: /^PROVIDER_ERROR 0 connection_lost$/,
    silent: 'SENT',
  },
});
