import { type ChannelPayload, definitionOf, definitionServing, type Push } from '@tidings/channels';
import { type DeviceColumns, messageKeyOf, PayloadWriter } from '@tidings/messaging';
import type { KeyObject } from 'node:crypto';
import type { StoredMessage } from '../facts/message-store.ts';
import type { Recipient } from './recipient.ts';

const writer = new PayloadWriter();
const none = Buffer.from('{}');
const compiled = new WeakMap<StoredMessage, Map<string, ChannelPayload>>();
const ofColumns = new WeakMap<DeviceColumns, Map<string, ChannelPayload>>();

const pushOf = (
  { code, bucket, id, accepted }: StoredMessage,
  { platform, variant, applicationTitle, entry }: Recipient,
): Push => ({
  platform,
  variant,
  applicationTitle,
  entry,
  message: code,
  bucket,
  messageId: id,
  campaignId: accepted.campaignId,
  content: accepted.content,
});

function payloadOf(message: StoredMessage, recipient: Recipient, reportKey: KeyObject): ChannelPayload {
  const { application, applicationTitle, platform, variant, entry, language } = recipient;
  const payloads = compiled.get(message) ?? new Map<string, ChannelPayload>();
  compiled.set(message, payloads);
  const name = `${application}/${platform}/${variant}/${entry?.removal ?? ''}/${language}/${applicationTitle}`;
  const cached = payloads.get(name);
  if (cached) return cached;
  const { code, id: messageId, accepted } = message;
  const key = messageKeyOf(reportKey, application, { code, messageId, campaignId: accepted.campaignId });
  const payload = definitionServing(recipient).compile(pushOf(message, recipient), language, key);
  payloads.set(name, payload);
  return payload;
}

function payloadInColumns(message: StoredMessage, recipient: Recipient, reportKey: KeyObject): ChannelPayload {
  const { columns, language } = recipient;
  const payloads = ofColumns.get(columns) ?? new Map<string, ChannelPayload>();
  const cached = payloads.get(language);
  if (cached) return cached;
  const payload = payloadOf(message, recipient, reportKey);
  ofColumns.set(columns, payloads.set(language, payload));
  return payload;
}

/** "{}" for kinds of pushes of a later version. */
export function handedOver(message: StoredMessage, recipient: Recipient, reportKey: KeyObject): Uint8Array {
  if (!definitionOf(recipient.platform)?.variants[recipient.variant]) return none;
  const { payload, limit } = payloadInColumns(message, recipient, reportKey);
  return writer.write(payload, recipient.columns, recipient.index, limit);
}
