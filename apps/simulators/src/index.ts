export { type SimulatorOptions, type Simulators, startSimulators } from './simulators.ts';
export {
  generateApnsKey,
  generateRsaKey,
  generateServiceAccount,
  generateVapidKeys,
  publicKeyOf,
  type ServiceAccount,
} from './provider-keys.ts';
export { simulators } from './provider-simulators.ts';
export type { Simulator } from './simulator.ts';
export { selfSigned } from './self-signed.ts';
export type { TlsFiles } from './transport/listener.ts';
export { apnsReasonToken, apnsToken } from './apns/apns-tokens.ts';
export { APNS_REASONS } from './apns/reasons.ts';
export { fcmReasonToken, fcmToken } from './fcm/fcm-tokens.ts';
export { smsNumber, smsReceiptNumber, smsRefusedTryNumber, smsStatusNumber } from './sms/sms-numbers.ts';
export { type TokenReply, tokenReplies } from './oauth/token-replies.ts';
export { REFUSED_PASSWORD } from './sms/smsc.ts';
export { REFUSED_TOKEN } from './sms/twilio.ts';
export { WEB_PUSH_REASONS, type WebPushReason } from './webpush/webpush-reasons.ts';
export {
  webPushReasonSubscription,
  type WebPushSubscription,
  webPushSubscription,
} from './webpush/webpush-subscriptions.ts';
export { FCM_ERRORS } from './fcm/errors.ts';
export { ADM_TOKEN_PATH, movedToken } from './adm/adm.ts';
export { ADM_REASONS } from './adm/adm-reasons.ts';
export { HMS_CODES } from './hms/codes.ts';
export { HMS_TOKEN_PATH } from './hms/hms.ts';
export { specialReasonToken, specialToken } from './special-tokens.ts';
export { simulatedPhone } from './phone-numbers.ts';
export { KAKAO_ERRORS } from './kakao/kakao-errors.ts';
export { WHATSAPP_ERRORS } from './whatsapp/whatsapp-errors.ts';
export { whatsAppReceipts, type WhatsAppStatus } from './whatsapp/whatsapp.ts';
export { LINE_REASONS } from './line/line-reasons.ts';
export { lineReasonUser, lineUser } from './line/line-users.ts';
export { wnsChannelPath, wnsReasonPath } from './wns/wns-channels.ts';
export { WNS_REASONS, type WnsReason } from './wns/wns-reasons.ts';
export { mailAddress, mailReplyAddress } from './email/mail-addresses.ts';
export { type MailReport, sendMailReport } from './email/mail-reports.ts';
export { REFUSED_USER } from './email/smtp.ts';
export { type Kind, kinds } from './behaviour.ts';
export type { ProviderName } from './provider.ts';
export type { ProviderFaults } from './provider-faults.ts';
export type { LedgerEntry } from './ledger/entries.ts';
export { type Consumer, dialIn } from './webhooks/consumer.ts';
export { type ReceivedEvent, type Subscriber, startSubscriber } from './webhooks/subscriber.ts';
export { HttpSubscriber, type ReceivedPost, startHttpSubscriber } from './webhooks/http-subscriber.ts';
