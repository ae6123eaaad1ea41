import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { smsCredential, type SmsCredential } from './sms-credential.ts';
import { smsHasContent, smsPayload } from './sms-payload.ts';
import { twilioRefusal } from './sms-results.ts';

/** SMS, by SMPP 3.4 or by Twilio's Messages API: the settings of the application decide (R-A6). */
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
