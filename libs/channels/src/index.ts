export { apnsPushType, type ApnsPushType } from './apns/payload.ts';
export type { ApnsCredential, ApnsProof } from './apns/credential.ts';
export { apnsRefusal } from './apns/results.ts';
export { isRelative } from './badge.ts';
export { channelServing, definitionOf, definitions } from './channels.ts';
export { languagesOf, tagsOf } from './content-texts.ts';
export { type CredentialDefinition, type KeyOpener, readCredential } from './credential.ts';
export { ALERT, type ChannelDefinition, type ChannelPayload } from './definition.ts';
export type { FcmCredential, ServiceAccount } from './fcm/credential.ts';
export {
  type ConnectionFailure,
  connectionResults,
  localResults,
  type Refusal,
  sent,
  type SendResult,
  unlisted,
} from './send-results.ts';
