import { mailSubject } from '@tidings/channels';
import { platformWordOf } from '@tidings/contract';
import { EnqueuedKind } from '@tidings/events';
import { Platform, sendIdOf, seqOf } from '@tidings/kernel';
import { filledText, type Variables, variablesOf } from '@tidings/messaging';
import type { Attributes, DeviceDescription, Devices, SentValues, WebhookRequest } from '@tidings/rpc';
import type { KeyObject } from 'node:crypto';
import type { KnownMessage, MessageStore } from '../facts/known-messages.ts';
import { eventNameOf } from '../subscriptions/subscription.ts';
import { attributesOf, inboxAttributes } from './attributes.ts';
import type { DueEvent } from './due-event.ts';
import { handedOver } from './event-payload.ts';
import { type Recipient, recipientNow } from './recipient.ts';
import { occurrenceOf, reportPayload } from './report-payload.ts';
import { keptRecipients } from './kept-recipients.ts';
import { eventUuid } from './uuid.ts';

/** Renders events, with one query of the registry for all devices of an application, and one of the dispatchers for all that were sent to. */
export interface EventMaker {
  /** In the order of `due`; undefined if the device or the message no longer exists. */
  make(account: string, due: readonly DueEvent[]): Promise<readonly (WebhookRequest | undefined)[]>;
}

/** A message with the parts of its events that all devices share. */
interface Prepared {
  readonly message: KnownMessage;
  readonly reportKey: KeyObject;
  readonly tags: readonly string[];
  readonly variables: Variables;
  /** Attributes by platform and language, if the content is the same for all their devices. */
  readonly attributes: Map<string, Attributes>;
}

const prepare = (message: KnownMessage, reportKey: KeyObject): Prepared => ({
  message,
  reportKey,
  tags: message.accepted.content?.tags ?? [],
  variables: message.accepted.content ? variablesOf(message.accepted.content) : { bindings: {}, placeholders: {} },
  attributes: new Map(),
});

function attributesFor(
  { message, tags, variables, attributes }: Prepared,
  { platform, language }: { readonly platform: number; readonly language: string },
  values: readonly string[],
): Attributes {
  const key = `${platform}/${language}`;
  const known = attributes.get(key);
  if (known) return known;
  const valueOf = (tag: string): string | undefined => values[tags.indexOf(tag)];
  const made = attributesOf(message.accepted, variables, { platform, language, valueOf });
  if (tags.length === 0) attributes.set(key, made);
  return made;
}

/** A device and its application, as the registry describes them. */
interface Described {
  readonly device: DeviceDescription;
  readonly applicationTitle: string;
  readonly mailFrom: string;
}

/** What was handed to the provider; a mail is told by its subject and its sender. */
function sentPayload(
  { message, variables, tags, reportKey }: Prepared,
  recipient: Recipient,
  mailFrom: string,
): string {
  if (recipient.platform !== Platform.Email) return handedOver(message, recipient, reportKey);
  const { content } = message.accepted;
  const template = (content && mailSubject(content, recipient.language)) ?? '';
  const subject = filledText(template, variables, (tag) => recipient.values[tags.indexOf(tag)]);
  return JSON.stringify({ subject, from: content?.email?.from?.address ?? mailFrom });
}

/** @param kept the device as its push was rendered for it, of a Sent whose values are kept */
function eventOf(
  prepared: Prepared,
  { enqueued, position, at }: DueEvent,
  { device, applicationTitle, mailFrom }: Described,
  values: string[],
  kept: Recipient | undefined,
): WebhookRequest {
  const { message } = prepared;
  const { kind, platform, application, entry } = enqueued;
  const name = eventNameOf(kind, platform);
  const { hwid, userId } = device;
  const uuid = eventUuid({ messageId: message.id, application, hwid, name, occurrence: occurrenceOf(enqueued, at) });
  const isSent = kind === EnqueuedKind.ENQUEUED_KIND_SENT;
  const described = { device, applicationTitle, values };
  const recipient = kept ?? (isSent ? recipientNow(message, { ...enqueued, position }, described) : undefined);
  const { language } = recipient ?? device;
  return {
    eventName: name,
    messageId: message.id,
    messageCode: message.code,
    campaignId: message.accepted.campaignId,
    platform: platformWordOf(platform) ?? '',
    applicationCode: application,
    hwid,
    userId,
    payload: recipient ? sentPayload(prepared, recipient, mailFrom) : reportPayload(enqueued),
    timestamp: new Date(at * 1000),
    journeyTitle: '',
    journeyPointTitle: '',
    attributes: {
      ...attributesFor(prepared, { platform, language }, recipient?.values ?? values),
      ...{ userId, ...inboxAttributes(entry) },
    },
    uuid,
  };
}

export function eventMaker({
  devices,
  sentValues,
  messages,
  reportKey,
}: {
  readonly devices: Pick<Devices, 'describe'>;
  readonly sentValues: Pick<SentValues, 'find'>;
  readonly messages: Pick<MessageStore, 'find'>;
  /** Signs statistics hashes. */
  readonly reportKey: KeyObject;
}): EventMaker {
  const prepared = new WeakMap<KnownMessage, Prepared>();
  const preparedOf = (message: KnownMessage): Prepared => {
    const known = prepared.get(message) ?? prepare(message, reportKey);
    prepared.set(message, known);
    return known;
  };

  /** The devices of an application, by number, with the values of every tag that these messages show. */
  const describe = async (account: string, application: string, due: readonly DueEvent[], found: Messages) => {
    const seqs = [...new Set(due.map(({ enqueued: { chunk }, position }) => seqOf(chunk, position)))];
    const shown = due.flatMap(({ enqueued }) => found.get(sendIdOf(enqueued))?.accepted.content?.tags ?? []);
    const tags = [...new Set(shown)];
    const described = await devices.describe({ account, application, seqs, tags });
    const { applicationTitle, mailFrom } = described;
    const bySeq = new Map(described.devices.map((device, i) => [seqs[i]!, { device, applicationTitle, mailFrom }]));
    return { bySeq, tags };
  };

  return {
    async make(account, due) {
      const found = await messages.find(new Set(due.map(({ enqueued }) => sendIdOf(enqueued))));
      const byApplication = Map.groupBy(due, ({ enqueued }) => enqueued.application);
      const [kept, ...descriptions] = await Promise.all([
        keptRecipients(sentValues, due),
        ...[...byApplication].map(async ([application, ofIt]) => {
          return [application, await describe(account, application, ofIt, found)] as const;
        }),
      ]);
      const described = new Map(descriptions);
      return due.map((one) => {
        const { enqueued, position } = one;
        const message = found.get(sendIdOf(enqueued));
        const { bySeq, tags } = described.get(enqueued.application)!;
        const about = bySeq.get(seqOf(enqueued.chunk, position));
        if (!message || !about?.device.found) return undefined;
        const of = preparedOf(message);
        return eventOf(
          of,
          one,
          about,
          of.tags.map((tag) => about.device.values[tags.indexOf(tag)] ?? ''),
          kept.get(one),
        );
      });
    },
  };
}

type Messages = Awaited<ReturnType<MessageStore['find']>>;
