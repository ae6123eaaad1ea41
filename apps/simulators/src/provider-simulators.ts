import { adm } from './adm/adm.ts';
import { Apns, apnsIdOf } from './apns/apns.ts';
import { apnsStatus } from './apns/reasons.ts';
import { isMailReply } from './email/mail-addresses.ts';
import { mailIdOf, Smtp } from './email/smtp.ts';
import { fcm } from './fcm/fcm.ts';
import { isOAuthError, tokenEndpoint } from './google-oauth/token-endpoint.ts';
import { hms } from './hms/hms.ts';
import { kakao } from './kakao/kakao.ts';
import { line } from './line/line.ts';
import type { ProviderName } from './provider.ts';
import type { Simulator } from './simulator.ts';
import { isCommandStatus, Smsc, smppIdOf } from './sms/smsc.ts';
import { isTwilioCode, Twilio, twilioIdOf } from './sms/twilio.ts';
import { webPush } from './webpush/webpush.ts';
import { whatsApp } from './whatsapp/whatsapp.ts';
import { wns } from './wns/wns.ts';

const byName = {
  apns: {
    open: (deps) => new Apns(deps),
    http1: false,
    idOf: apnsIdOf,
    isReason: (reason) => apnsStatus(reason) !== undefined,
  },
  fcm,
  webpush: webPush,
  hms,
  whatsapp: whatsApp,
  line,
  wns,
  email: { open: (deps) => new Smtp(deps), http1: false, scheme: 'smtp', idOf: mailIdOf, isReason: isMailReply },
  adm,
  sms: { open: (deps) => new Twilio(deps), http1: true, idOf: twilioIdOf, isReason: isTwilioCode },
  smpp: { open: (deps) => new Smsc(deps), http1: false, scheme: 'smpp', idOf: smppIdOf, isReason: isCommandStatus },
  kakao,
  'google-oauth': {
    open: ({ tokenUrl, ...deps }) => tokenEndpoint({ ...deps, audience: tokenUrl }),
    http1: true,
    idOf: () => '',
    isReason: isOAuthError,
  },
} satisfies Record<ProviderName, Simulator>;

/** Read when the simulators start. */
export const simulators = new Map<string, Simulator>(Object.entries(byName));
