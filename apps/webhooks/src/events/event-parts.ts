import { languagesOf } from '@tidings/channels';
import { platformWordOf } from '@tidings/contract';
import { EnqueuedKind } from '@tidings/events';
import { type Variables, variablesOf } from '@tidings/messaging';
import { Attributes, WebhookRequest } from '@tidings/rpc';
import type { KeyObject } from 'node:crypto';
import type { StoredMessage } from '../facts/message-store.ts';
import { eventNameOf } from '../subscriptions/subscription.ts';
import { inboxAttributes } from './attributes.ts';
import { compileAttributes, type CompiledAttributes, USER_ID, writeAttributes } from './compiled-attributes.ts';
import type { DueEvent } from './due-event.ts';
import { FieldWriter } from './field-writer.ts';
import type { OutgoingEvent } from './outgoing-event.ts';
import { occurrenceOf } from './report-payload.ts';
import { eventUuids } from './uuid.ts';

export interface PreparedMessage {
  readonly message: StoredMessage;
  readonly reportKey: KeyObject;
  readonly tags: readonly string[];
  readonly variables: Variables;
  readonly languages: ReadonlySet<string>;
  readonly attributes: Map<string, CompiledAttributes>;
}

export const prepareMessage = (message: StoredMessage, reportKey: KeyObject): PreparedMessage => ({
  message,
  reportKey,
  attributes: new Map(),
  tags: message.accepted.content?.tags ?? [],
  languages: message.accepted.content ? languagesOf(message.accepted.content) : new Set<string>(),
  variables: message.accepted.content ? variablesOf(message.accepted.content) : { bindings: {}, placeholders: {} },
});

const encoded = (fields: Partial<WebhookRequest>): Uint8Array =>
  WebhookRequest.encode(WebhookRequest.fromPartial(fields)).finish();

const tagOf = (name: 'hwid' | 'userId' | 'payload' | 'uuid'): Uint8Array => encoded({ [name]: 'x' }).subarray(0, -2);

const HWID = tagOf('hwid');
const USER = tagOf('userId');
const PAYLOAD = tagOf('payload');
const UUID = tagOf('uuid');
const ATTRIBUTES = encoded({ attributes: {} as NonNullable<WebhookRequest['attributes']> }).subarray(0, -1);

const writer = new FieldWriter();

export interface RenderedDevice {
  readonly hwid: string;
  readonly userId: string;
  readonly language: string;
  readonly values: readonly string[];
  readonly payload: string | Uint8Array;
  readonly at: number;
}

export class EventParts {
  readonly #of: PreparedMessage;
  readonly #enqueued: DueEvent['enqueued'];
  readonly #name: string;
  readonly #head: Uint8Array;
  readonly #inbox = new Map<string, Uint8Array>();
  #uuidOf: (hwid: string) => string;
  #at = -1;
  #timestamp: Uint8Array = new Uint8Array();

  constructor(of: PreparedMessage, enqueued: DueEvent['enqueued']) {
    const { id: messageId, code: messageCode, accepted } = of.message;
    const { kind, platform, application: applicationCode } = enqueued;
    this.#of = of;
    this.#enqueued = enqueued;
    this.#name = eventNameOf(kind, platform);
    const word = platformWordOf(platform) ?? '';
    this.#head = encoded({
      eventName: this.#name,
      messageId,
      messageCode,
      campaignId: accepted.campaignId,
      platform: word,
      applicationCode,
    });
    this.#uuidOf = this.#uuidsAt(0);
  }

  event({ hwid, userId, language, values, payload, at }: RenderedDevice): OutgoingEvent {
    if (at !== this.#at) this.#setTime(at);
    const uuid = this.#uuidOf(hwid);
    const attributes = this.#attributesIn(language);
    const valueOf = (tag: string): string | undefined => values[this.#of.tags.indexOf(tag)];
    writer.begin();
    writer.fields(this.#head);
    writer.text(HWID, hwid);
    writer.text(USER, userId);
    writer.text(PAYLOAD, payload);
    writer.fields(this.#timestamp);
    writer.nested(ATTRIBUTES, () => {
      writer.text(USER_ID, userId);
      writer.fields(this.#inboxIn(language));
      writeAttributes(writer, attributes, valueOf);
    });
    writer.text(UUID, uuid);
    return { uuid, applicationCode: this.#enqueued.application, hwid, bytes: writer.end() };
  }

  #setTime(at: number): void {
    this.#at = at;
    this.#timestamp = encoded({ timestamp: new Date(at * 1000) });
    if (this.#enqueued.kind === EnqueuedKind.ENQUEUED_KIND_MAIL_CLICKED) this.#uuidOf = this.#uuidsAt(at);
  }

  #uuidsAt(at: number): (hwid: string) => string {
    const { application } = this.#enqueued;
    const occurrence = occurrenceOf(this.#enqueued, at);
    return eventUuids({ messageId: this.#of.message.id, application, name: this.#name, occurrence });
  }

  #inboxIn(language: string): Uint8Array {
    const cached = this.#inbox.get(language);
    if (cached) return cached;
    const { entry, platform } = this.#enqueued;
    const fields = entry ? inboxAttributes(entry, this.#of.message.accepted, { platform, language }) : {};
    const made = Attributes.encode(Attributes.fromPartial(fields)).finish();
    this.#inbox.set(language, made);
    return made;
  }

  #attributesIn(spoken: string): CompiledAttributes {
    const { message, variables, languages, attributes } = this.#of;
    const { platform } = this.#enqueued;
    const language = languages.has(spoken) ? spoken : '';
    const key = `${platform}/${language}`;
    const cached = attributes.get(key);
    if (cached) return cached;
    const made = compileAttributes(message.accepted, variables, { platform, language });
    attributes.set(key, made);
    return made;
  }
}
