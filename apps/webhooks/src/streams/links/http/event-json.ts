import type { Attributes, WebhookRequest } from '@tidings/rpc';

const names = new Map<string, string>();

function nameOf(field: string): string {
  let name = names.get(field);
  if (name === undefined) {
    name = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    names.set(field, name);
  }
  return name;
}

const isDefault = (value: unknown): boolean =>
  value === '' || value === 0 || value === false || (Array.isArray(value) && value.length === 0);

function attributesJson(attributes: Attributes | undefined): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(attributes ?? {})) {
    if (field !== '_unknownFields' && value !== undefined && !isDefault(value)) shown[nameOf(field)] = value;
  }
  return shown;
}

/** Proto names, 64-bit integers as strings, RFC 3339, no default attributes (R-EV6). */
export const eventJson = (event: WebhookRequest): string =>
  JSON.stringify({
    event_name: event.eventName,
    message_id: String(event.messageId),
    message_code: event.messageCode,
    campaign_id: String(event.campaignId),
    platform: event.platform,
    application_code: event.applicationCode,
    hwid: event.hwid,
    user_id: event.userId,
    payload: event.payload,
    timestamp: event.timestamp?.toISOString().replace('.000Z', 'Z') ?? null,
    journey_title: event.journeyTitle,
    journey_point_title: event.journeyPointTitle,
    attributes: attributesJson(event.attributes),
    uuid: event.uuid,
  });
