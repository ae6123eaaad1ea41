import { Platform } from '@tidings/kernel';
import { mailReplyAddress } from '../../testing/test-simulators.ts';
import { replyFeatures } from '../reply.features.ts';
import { emailChannel } from './email-channel.ts';

const platform = Platform.Email;

replyFeatures({
  name: 'email',
  provider: 'SMTP',
  platform,
  credentials: () => ({
    [platform]: { settings: { email_from_email: 'shop@example.com', email_from_name: 'Shop', email_reply: '' } },
  }),
  open: (parts, { smtpUrl }) =>
    emailChannel({ ...parts, onFailure: () => undefined, url: smtpUrl, publicUrl: 'https://push.example' }),
  replies: [
    ['recipient refused by #', '5xx', mailReplyAddress('550 5.2.0 no', 1)],
    ['recipient refused by #', '4xx', mailReplyAddress('450 4.2.0 later', 2)],
    ['login required by #', '530', mailReplyAddress('530 5.7.0 login', 3)],
    ['# to any command', '421', mailReplyAddress('421 4.3.2 closing', 4)],
  ],
});
