import { messageChunkKey } from '@tidings/delivery';
import type { LogWriter } from '@tidings/event-store';
import { facts, EnqueuedKind, ReportKind, type Reports, topicNames, type SliceOutcome } from '@tidings/events';
import { Bitmap, type Clock, sendIdOf, TEST_CHUNK } from '@tidings/kernel';
import type { Decoded } from '@tidings/streaming';
import { type WebhookCommand, webhooksLogOf } from '../webhook-log.ts';
import type { SubscriptionStore } from '../subscriptions/subscription-store.ts';
import type { PendingReports } from './pending-reports.ts';
import type { MessageStore } from './known-messages.ts';
import type { InboxKind, InboxReport, Place, Report, SentDevices } from './delivery-state.ts';

/** The source topics of events. */
export const topics = {
  [topicNames.messages]: facts.messages,
  [topicNames.outcomes]: facts.outcomes,
  [topicNames.reports]: facts.reports,
} as const;

export type Fact = Decoded<typeof topics>;

/** Maximum wait of an outcome for its message from the other topic, where it was published much earlier. */
const PATIENCE_MS = 30_000;

export interface IntakeDeps {
  readonly subscriptions: Pick<SubscriptionStore, 'audience'>;
  readonly messages: Pick<MessageStore, 'keep' | 'find'>;
  readonly pending: Pick<PendingReports, 'purge'>;
  readonly writer: Pick<LogWriter<WebhookCommand, unknown>, 'submit'>;
  readonly clock: Clock;
}

const placeOf = ({ account, message, messageId, application, chunk }: Place): Place => ({
  account,
  message,
  messageId,
  application,
  chunk,
});

const sentIn = ({ bucket, variant, outcome, entry }: SliceOutcome): SentDevices[] =>
  outcome?.$case === 'settled'
    ? outcome.value.sent.map(({ platform, set }) => ({ bucket, platform, variant, entry, devices: Bitmap.decode(set) }))
    : [];

const kinds: Readonly<Record<number, Report['kind']>> = {
  [ReportKind.REPORT_KIND_DELIVERED]: EnqueuedKind.ENQUEUED_KIND_DELIVERED,
  [ReportKind.REPORT_KIND_OPENED]: EnqueuedKind.ENQUEUED_KIND_OPENED,
};

const kindsOfInbox: Readonly<Record<number, InboxKind>> = {
  [ReportKind.REPORT_KIND_INBOX_REACHED]: EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED,
  [ReportKind.REPORT_KIND_INBOX_READ]: EnqueuedKind.ENQUEUED_KIND_INBOX_READ,
  [ReportKind.REPORT_KIND_INBOX_OPENED]: EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED,
  [ReportKind.REPORT_KIND_INBOX_DELETED]: EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED,
};

/** The reports of inboxes in a record. */
function inboxReportsIn({ kind, positions, platforms, at, entry }: Reports): InboxReport[] {
  const known = kindsOfInbox[kind];
  if (known === undefined || !entry) return [];
  return positions.map((position, i) => ({ kind: known, position, platform: platforms[i]!, at: at[i]!, entry }));
}

/** The reports in a record of devices. */
function reportsIn({ kind, positions, platforms, at }: Reports): Report[] {
  const known = kinds[kind];
  if (known === undefined) return [];
  return positions.map((position, i) => ({ kind: known, position, platform: platforms[i]!, at: at[i]! }));
}

/**
 * Turns facts into log events, for subscribed applications only. Idempotent. Returns how many of the leading facts, all of one partition, are
 * processed: an outcome may arrive before its message.
 */
export class Intake {
  readonly #deps: IntakeDeps;
  /** Messages that outcomes are waiting for, with the start of the wait by `performance.now()`. */
  readonly #awaited = new Map<string, number>();

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  async handle(facts: readonly Fact[]): Promise<number> {
    const events = facts.flatMap((fact) => (fact.topic === topicNames.messages ? [fact.value] : []));
    await this.#deps.messages.keep(events);
    await this.#deps.pending.purge(
      events.flatMap(({ code: message, event }) =>
        event?.$case === 'purged' ? [{ message, application: event.value.application }] : [],
      ),
    );
    const wanted = await this.#wanted(facts);
    const ready = await this.#withMessage(wanted);
    await Promise.all([...this.#sent(ready), ...this.#reports(ready)]);
    return ready.length < wanted.length ? facts.indexOf(wanted[ready.length]!) : facts.length;
  }

  /** The facts of applications with a subscription. */
  async #wanted(facts: readonly Fact[]): Promise<DeliveryFact[]> {
    const found = facts.filter(isDeliveryFact);
    if (found.length === 0) return [];
    const audience = await this.#deps.subscriptions.audience();
    return found.filter(({ value }) => audience.has(value.account, value.application));
  }

  /** The facts before the first outcome whose message is still awaited. Reports wait in the log instead. */
  async #withMessage(facts: readonly DeliveryFact[]): Promise<readonly DeliveryFact[]> {
    const needed = facts.map((fact) => (fact.topic === topicNames.outcomes ? sendIdOf(fact.value) : undefined));
    const known = await this.#deps.messages.find(new Set(needed.filter((id) => id !== undefined)));
    const now = performance.now();
    for (const [i, id] of needed.entries()) {
      if (id === undefined) continue;
      const since = this.#awaited.get(id) ?? now;
      if (known.has(id) || now - since > PATIENCE_MS) {
        this.#awaited.delete(id);
      } else {
        this.#awaited.set(id, since);
        return facts.slice(0, i);
      }
    }
    return facts;
  }

  #sent(facts: readonly DeliveryFact[]): Promise<unknown>[] {
    return facts.map(async ({ topic, value }) => {
      if (topic !== topicNames.outcomes) return;
      const sent = sentIn(value);
      if (sent.length > 0) await this.#submit({ kind: 'sent', place: placeOf(value), sent, at: value.at! });
    });
  }

  /** Submits the reports of one place as one command, in order. */
  #reports(facts: readonly DeliveryFact[]): Promise<unknown>[] {
    const values = facts.flatMap(({ topic, value }) => (topic === topicNames.reports ? [value] : []));
    const places = Map.groupBy(values, messageChunkKey);
    const at = new Date(this.#deps.clock.now());
    return [...places.values()].map(async (ofPlace) => {
      const reports = ofPlace.flatMap(reportsIn);
      const inbox = ofPlace.flatMap(inboxReportsIn);
      if (reports.length + inbox.length === 0) return;
      await this.#submit({ kind: 'reports', place: placeOf(ofPlace[0]!), reports, inbox, at });
    });
  }

  #submit(command: WebhookCommand & { readonly place: Place }): Promise<unknown> {
    return this.#deps.writer.submit(webhooksLogOf(command.place.account), command);
  }
}

type DeliveryFact = Extract<Fact, { readonly topic: typeof topicNames.outcomes | typeof topicNames.reports }>;

/** Test devices have no events (R-L2). */
const isSettled = ({ chunk, outcome }: SliceOutcome): boolean => outcome?.$case === 'settled' && chunk !== TEST_CHUNK;

const isDeliveryFact = (fact: Fact): fact is DeliveryFact =>
  fact.topic === topicNames.reports || (fact.topic === topicNames.outcomes && isSettled(fact.value));
