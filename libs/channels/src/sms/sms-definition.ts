import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { smsCredential, type SmsCredential } from './sms-credential.ts';
import { smsHasContent, smsPayload } from './sms-payload.ts';
import { twilioRefusal } from './sms-results.ts';

export const sms: ChannelDefinition<SmsCredential> = {
  platforms: [Platform.Sms],
  variants: { [ALERT]: { channel: 'sms' } },
  variantsFor: () => [ALERT],
  credential: smsCredential,
  masksRepeats: false,
  tokenText: (token) => token,
  ownTextsOf: ({ sms: own }) => ({ localized: [own?.text, own?.title], urls: own?.fileUrls ?? [] }),
  hasContent: smsHasContent,
  badgeOf: () => undefined,
  ttlSecondsOf: () => undefined,
  compile: smsPayload,
  fits: (body, limit) => body.length <= limit,
  refusal: twilioRefusal,
};
