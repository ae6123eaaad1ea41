export type { AdmCredential } from './adm/adm-credential.ts';
export { apnsPushType, type ApnsPushType } from './apns/apns-payload.ts';
export { type ApnsCredential, type ApnsProof, websitePushIdOf } from './apns/apns-credential.ts';
export { apnsKeptSeconds, apnsUnsuitable, LIVE_START, LIVE_UPDATE } from './apns/live-activity.ts';
export { apnsRefusal } from './apns/apns-results.ts';
export {
  addChannel,
  channelNames,
  channelServing,
  definitionOf,
  definitions,
  definitionServing,
  removeChannel,
  tokenText,
  variantOf,
} from './channels.ts';
export {
  authenticationTokenOf,
  type SafariVisitor,
  visitorIn,
  visitorKeyOf,
  type WebsiteVisitor,
} from './apns/website-visitor.ts';
export { plainText } from './plain-text.ts';
export { type BounceCategory, isHardBounce } from './email/bounces.ts';
export { writtenMail } from './email/dkim.ts';
export { asciiAddress, domainOf, type Mailbox, type MailSender } from './email/email-credential.ts';
export { addressTexts } from './email/stored-address.ts';
export { emailPayload, type Letter, type LetterLinks, mailSubject } from './email/email-payload.ts';
export {
  blacklisted,
  directResults,
  relayResults,
  smtpResult,
  type SmtpStage,
  tooLargeForServer,
  unwantedResults,
} from './email/email-results.ts';
export { type IncomingMail, incomingMailOf } from './email/incoming/incoming-mail.ts';
export { MAIL_READ_BYTES } from './email/incoming/received-mail.ts';
export { mailOpenOf } from './email/mail-opens.ts';
export { MailLinks, mailPaths } from './email/mail-links.ts';
export { mailOf, type MailDefaults, mailDefaultsOf } from './email/mail.ts';
export {
  type MailReference,
  mailTokenKeyOf,
  mailTokens,
  parseMailToken,
  returnPathOf,
  tokenInReturnPath,
} from './email/mail-token.ts';
export { languagesOf, tagsOf } from './content-texts.ts';
export { type CredentialDefinition, type KeyOpener, readCredential, settingFault } from './credential-definition.ts';
export { credentialFault, type CredentialFaultName, credentialFaults, isCredentialFault } from './credential-faults.ts';
export { failureSentence } from './failure-sentence.ts';
export { ALERT, type ChannelDefinition, type ChannelPayload, type Push, type PushKind } from './channel-definition.ts';
export {
  ACTIVITY_TOKEN,
  type AddressField,
  addressFields,
  type DeviceField,
  fieldBit,
  TOKEN_BIT,
} from './device-fields.ts';
export type { FcmCredential, ServiceAccount } from './fcm/fcm-credential.ts';
export type { HmsCredential } from './hms/hms-credential.ts';
export type { KakaoCredential } from './kakao/kakao-credential.ts';
export { MAX_BADGE, relativeBadge } from './badge.ts';
export { contentParts, inLanguage } from './locale-settings.ts';
export {
  badgeChangeIn,
  badgeIn,
  badgeIncrement,
  badgesOf,
  changesBadges,
  deviceFieldsFor,
  hasContent,
} from './push-kinds.ts';
export type { WebPushCredential } from './webpush/webpush-credential.ts';
export { type SubscriptionKeys, WebPushEncryption } from './webpush/webpush-encryption.ts';
export { topicHeader, webPushHeaders } from './webpush/webpush-headers.ts';
export { unusableKeys } from './webpush/webpush-results.ts';
export { type WhatsAppCredential, WHATSAPP_APP_SECRET, WHATSAPP_VERIFY_TOKEN } from './whatsapp/whatsapp-credential.ts';
export { arrivedIn, isSignedByWhatsApp } from './whatsapp/whatsapp-receipts.ts';
export { connectionResults, localResults, type Refusal, sent, type SendResult, unlisted } from './send-results.ts';
export type { RetrySchedule } from './retry-schedule.ts';
export {
  type SmppCredential,
  smppCredentialIn,
  SMS_HTTP_TOKEN,
  type SmsCredential,
  type TwilioCredential,
} from './sms/sms-credential.ts';
export { isMms, type SmsPayload } from './sms/sms-payload.ts';
export { joiningHeader, type SmsParts, smsParts } from './sms/sms-parts.ts';
export { smppResult } from './sms/sms-results.ts';
export { hasArrived, isSignedByTwilio, TWILIO_HASH, TWILIO_PATH, twilioCallback } from './sms/twilio-receipts.ts';
export { formsOfId, numberKey, type SmppReceipt, smppReceipt } from './sms/smpp-receipt.ts';
export { PduOutput } from './sms/pdu-output.ts';
export {
  answerTo,
  bindBody,
  Command,
  encodePdu,
  nextSequence,
  type PduBody,
  PduReader,
  readMessageId,
  readShortMessage,
  senderAddress,
  Status,
  submitHead,
  submitPdu,
  type PduHandler,
} from './sms/smpp-pdu.ts';
export { subscriptionKeys } from './webpush/subscription-keys.ts';
export type { WnsCredential } from './wns/wns-credential.ts';
export { wnsHeaders } from './wns/wns-payload.ts';
export { foreignChannel } from './wns/wns-results.ts';
export type { LineCredential } from './line/line-credential.ts';
