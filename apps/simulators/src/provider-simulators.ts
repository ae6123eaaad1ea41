import { Adm, admIdOf } from './adm/adm.ts';
import { isAdmReason } from './adm/adm-reasons.ts';
import { Apns, apnsIdOf } from './apns/apns.ts';
import { apnsStatus } from './apns/reasons.ts';
import { isMailReply } from './email/mail-addresses.ts';
import { mailIdOf, Smtp } from './email/smtp.ts';
import type { Faults } from './provider-faults.ts';
import { isFcmError } from './fcm/errors.ts';
import { Fcm, fcmIdOf } from './fcm/fcm.ts';
import { isHmsCode } from './hms/codes.ts';
import { Hms, hmsIdOf } from './hms/hms.ts';
import type { AccessTokens } from './google-oauth/access-tokens.ts';
import { isOAuthError, tokenEndpoint } from './google-oauth/token-endpoint.ts';
import type { Keys } from './provider-keys.ts';
import type { Ledger } from './ledger.ts';
import type { Provider, ProviderName, SocketProvider } from './provider.ts';
import { isLineReason } from './line/line-reasons.ts';
import { Line, lineIdOf } from './line/line.ts';
import { isCommandStatus, Smsc, smppIdOf } from './sms/smsc.ts';
import { isTwilioCode, Twilio, twilioIdOf } from './sms/twilio.ts';
import { isWebPushReason } from './webpush/webpush-reasons.ts';
import { WebPush, webPushIdOf } from './webpush/webpush.ts';
import { isWhatsAppError } from './whatsapp/whatsapp-errors.ts';
import { isKakaoError } from './kakao/kakao-errors.ts';
import { Kakao, kakaoIdOf } from './kakao/kakao.ts';
import { WhatsApp, whatsAppIdOf } from './whatsapp/whatsapp.ts';
import { isWnsReason } from './wns/wns-reasons.ts';
import { Wns, wnsIdOf } from './wns/wns.ts';

export interface SimulatorDeps {
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly accessTokens: AccessTokens;
  /** Milliseconds. */
  readonly now: () => number;
  readonly tokenUrl: () => string;
}

export interface Simulator {
  open(deps: SimulatorDeps): Provider | SocketProvider;
  readonly http1: boolean;
  /** @default `http`, or `https` with TLS */
  readonly scheme?: string;
  /** For a push without an id of its own. */
  readonly idOf: (row: number) => string;
  isReason(reason: string): boolean;
}

const byName = {
  apns: {
    open: (deps) => new Apns(deps),
    http1: false,
    idOf: apnsIdOf,
    isReason: (reason) => apnsStatus(reason) !== undefined,
  },
  fcm: { open: (deps) => new Fcm(deps), http1: true, idOf: fcmIdOf, isReason: isFcmError },
  webpush: { open: (deps) => new WebPush(deps), http1: false, idOf: webPushIdOf, isReason: isWebPushReason },
  hms: { open: (deps) => new Hms(deps), http1: true, idOf: hmsIdOf, isReason: isHmsCode },
  whatsapp: { open: (deps) => new WhatsApp(deps), http1: true, idOf: whatsAppIdOf, isReason: isWhatsAppError },
  line: { open: (deps) => new Line(deps), http1: true, idOf: lineIdOf, isReason: isLineReason },
  wns: { open: (deps) => new Wns(deps), http1: true, idOf: wnsIdOf, isReason: isWnsReason },
  email: { open: (deps) => new Smtp(deps), http1: false, scheme: 'smtp', idOf: mailIdOf, isReason: isMailReply },
  adm: { open: (deps) => new Adm(deps), http1: true, idOf: admIdOf, isReason: isAdmReason },
  sms: { open: (deps) => new Twilio(deps), http1: true, idOf: twilioIdOf, isReason: isTwilioCode },
  smpp: { open: (deps) => new Smsc(deps), http1: false, scheme: 'smpp', idOf: smppIdOf, isReason: isCommandStatus },
  kakao: { open: (deps) => new Kakao(deps), http1: true, idOf: kakaoIdOf, isReason: isKakaoError },
  'google-oauth': {
    open: ({ tokenUrl, ...deps }) => tokenEndpoint({ ...deps, audience: tokenUrl }),
    http1: true,
    idOf: () => '',
    isReason: isOAuthError,
  },
} satisfies Record<ProviderName, Simulator>;

/** Read when the simulators start. */
export const simulators = new Map<string, Simulator>(Object.entries(byName));
