/** The fields of a WebhookRequest, by the names of its generated type. */
export interface StreamedEvent {
  readonly eventName: string;
  readonly messageId: bigint;
  readonly messageCode: string;
  readonly campaignId: bigint;
  readonly platform: string;
  readonly applicationCode: string;
  readonly hwid: string;
  readonly userId: string;
  readonly payload: string;
  readonly timestamp: Date | undefined;
  readonly journeyTitle: string;
  readonly journeyPointTitle: string;
  readonly attributes: object | undefined;
  readonly uuid: string;
}

export const eventTime = ({ timestamp }: Pick<StreamedEvent, 'timestamp'>): string | null =>
  timestamp?.toISOString().replace('.000Z', 'Z') ?? null;

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

/** By the names of the proto, without defaults. */
export function shownAttributes({ attributes = {} }: Pick<StreamedEvent, 'attributes'>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(attributes)) {
    if (field !== '_unknownFields' && value !== undefined && !isDefault(value)) shown[nameOf(field)] = value;
  }
  return shown;
}
