import { changesBadges, mailSubject } from '@tidings/channels';
import { planId, shownBadges } from '@tidings/delivery';
import { EnqueuedKind } from '@tidings/events';
import { Platform, sendIdOf, seqOf } from '@tidings/kernel';
import { filledText } from '@tidings/messaging';
import { type DeviceDescription, type Devices, type PlanOfChunk, type SentValues, ShownBadges } from '@tidings/rpc';
import type { KeyObject } from 'node:crypto';
import type { StoredMessage, MessageStore } from '../facts/message-store.ts';
import type { DueEvent } from './due-event.ts';
import { EventParts, type PreparedMessage, prepareMessage } from './event-parts.ts';
import { handedOver } from './event-payload.ts';
import { keptRecipients } from './kept-recipients.ts';
import type { OutgoingEvent } from './outgoing-event.ts';
import { type Described, type Recipient, recipientsNow } from './recipient.ts';
import { reportPayload } from './report-payload.ts';

export interface EventMaker {
  make(account: string, due: readonly DueEvent[]): Promise<readonly Made[]>;
}

/** Undefined without its device or message; an error fails only this event. */
export type Made = OutgoingEvent | undefined | Error;

interface Application {
  readonly title: string;
  readonly mailFrom: string;
  readonly bySeq: ReadonlyMap<number, DeviceDescription>;
  readonly tags: readonly string[];
  readonly badges: ReadonlyMap<string, (position: number) => number | undefined>;
}

interface Group {
  readonly enqueued: DueEvent['enqueued'];
  readonly indexes: readonly number[];
}

interface Present extends Described {
  readonly index: number;
}

function groupsOf(due: readonly DueEvent[]): Group[] {
  const groups = new Map<DueEvent['enqueued'], number[]>();
  due.forEach(({ enqueued }, index) => {
    const indexes = groups.get(enqueued);
    if (indexes) indexes.push(index);
    else groups.set(enqueued, [index]);
  });
  return Array.from(groups, ([enqueued, indexes]) => ({ enqueued, indexes }));
}

function sentPayload(
  { message, variables, tags, reportKey }: PreparedMessage,
  recipient: Recipient,
  mailFrom: string,
): string | Uint8Array {
  if (recipient.platform !== Platform.Email) return handedOver(message, recipient, reportKey);
  const { content } = message.accepted;
  const template = (content && mailSubject(content, recipient.language)) ?? '';
  const subject = filledText(template, variables, (tag) => recipient.values[tags.indexOf(tag)]);
  return JSON.stringify({ subject, from: content?.email?.from?.address ?? mailFrom });
}

function presentIn(
  { enqueued, indexes }: Group,
  due: readonly DueEvent[],
  { bySeq, tags, badges }: Application,
  shown: readonly string[],
): Present[] {
  const columns = shown.map((tag) => tags.indexOf(tag));
  const badgeAt = badges.get(planId(enqueued));
  return indexes.flatMap((index) => {
    const { position } = due[index]!;
    const device = bySeq.get(seqOf(enqueued.chunk, position));
    if (!device?.found) return [];
    const badge = badgeAt?.(position);
    return { index, position, device, badge, values: columns.map((column) => device.values[column] ?? '') };
  });
}

function recipientsIn(
  { message }: PreparedMessage,
  enqueued: DueEvent['enqueued'],
  { title: applicationTitle }: Application,
  present: readonly Present[],
  keptOf: (index: number) => Recipient | undefined,
): (index: number) => Recipient {
  const others = present.filter(({ index }) => !keptOf(index));
  const now = recipientsNow(message, enqueued, { applicationTitle, devices: others });
  const byIndex = new Map(others.map(({ index }, i) => [index, now[i]!]));
  return (index) => keptOf(index) ?? byIndex.get(index)!;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

interface GroupParts {
  readonly group: Group;
  readonly due: readonly DueEvent[];
  readonly application: Application;
  readonly of: PreparedMessage;
  readonly kept: ReadonlyMap<DueEvent, Recipient>;
}

function makeGroup(made: Made[], { group, due, application, of, kept }: GroupParts): void {
  const { enqueued } = group;
  const parts = new EventParts(of, enqueued);
  const present = presentIn(group, due, application, of.tags);
  const isSent = enqueued.kind === EnqueuedKind.ENQUEUED_KIND_SENT;
  const recipientAt = isSent
    ? recipientsIn(of, enqueued, application, present, (index) => kept.get(due[index]!))
    : undefined;
  const report = isSent ? '' : reportPayload(enqueued);
  for (const { index, device, values } of present) {
    const { hwid, userId } = device;
    try {
      const recipient = recipientAt?.(index);
      made[index] = parts.event({
        hwid,
        userId,
        at: due[index]!.at,
        language: recipient?.language ?? device.language,
        values: recipient?.values ?? values,
        payload: recipient ? sentPayload(of, recipient, application.mailFrom) : report,
      });
    } catch (error) {
      made[index] = asError(error);
    }
  }
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
  readonly reportKey: KeyObject;
}): EventMaker {
  const prepared = new WeakMap<StoredMessage, PreparedMessage>();
  const preparedOf = (message: StoredMessage): PreparedMessage => {
    const cached = prepared.get(message) ?? prepareMessage(message, reportKey);
    prepared.set(message, cached);
    return cached;
  };

  const describe = async (
    { account, application }: { readonly account: string; readonly application: string },
    groups: readonly Group[],
    due: readonly DueEvent[],
    found: Messages,
  ): Promise<Application> => {
    const seqs = new Set<number>();
    const shown = new Set<string>();
    const plans = new Map<string, PlanOfChunk>();
    for (const { enqueued, indexes } of groups) {
      for (const index of indexes) seqs.add(seqOf(enqueued.chunk, due[index]!.position));
      const content = found.get(sendIdOf(enqueued))?.accepted.content;
      for (const tag of content?.tags ?? []) shown.add(tag);
      const { kind, message, bucket, chunk } = enqueued;
      const isSent = kind === EnqueuedKind.ENQUEUED_KIND_SENT;
      if (isSent && changesBadges(content)) plans.set(planId(enqueued), { message, bucket, chunk });
    }
    const [positions, tags] = [[...seqs], [...shown]];
    const described = await devices.describe({
      account,
      application,
      seqs: positions,
      tags,
      plans: [...plans.values()],
    });
    const bySeq = new Map(described.devices.map((device, i) => [positions[i]!, device]));
    const badges = new Map(
      [...plans.keys()].map((id, i) => [id, shownBadges(described.badges[i] ?? ShownBadges.create())]),
    );
    return { title: described.applicationTitle, mailFrom: described.mailFrom, bySeq, tags, badges };
  };

  return {
    async make(account, due) {
      const groups = groupsOf(due);
      const found = await messages.find(new Set(groups.map(({ enqueued }) => sendIdOf(enqueued))));
      const byApplication = Map.groupBy(groups, ({ enqueued }) => enqueued.application);
      const [kept, ...descriptions] = await Promise.all([
        keptRecipients(sentValues, due),
        ...[...byApplication].map(async ([application, ofIt]) => {
          return [application, await describe({ account, application }, ofIt, due, found)] as const;
        }),
      ]);
      const applications = new Map(descriptions);
      const made: Made[] = due.map(() => undefined);
      for (const group of groups) {
        const message = found.get(sendIdOf(group.enqueued));
        if (!message) continue;
        const application = applications.get(group.enqueued.application)!;
        try {
          makeGroup(made, { group, due, application, of: preparedOf(message), kept });
        } catch (error) {
          for (const index of group.indexes) made[index] = asError(error);
        }
      }
      return made;
    },
  };
}

type Messages = Awaited<ReturnType<MessageStore['find']>>;
