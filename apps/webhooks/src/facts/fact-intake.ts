import { messageChunkKey, resultsIn } from '@tidings/delivery';
import type { LogWriter } from '@tidings/event-store';
import { Erasure, facts, type PlanEvent, ReportKind, topicNames, type SliceOutcome } from '@tidings/events';
import { type Clock, RecentEntries, sendIdOf, TEST_CHUNK } from '@tidings/kernel';
import type { SentValues } from '@tidings/rpc';
import type { Decoded } from '@tidings/streaming';
import { type WebhookCommand, webhooksLogOf } from '../webhook-log.ts';
import type { SubscriptionStore } from '../subscriptions/subscription-store.ts';
import type { PendingReports } from './pending-reports.ts';
import type { MessageStore } from './message-store.ts';
import type { DeliveryUnit } from './enqueued-events.ts';
import { failedInPlan, isOfDeletedApplication, outcomesIn, sentIn } from './outcomes.ts';
import { inboxReportsIn, unitOf, reportsIn } from './reports.ts';

export const topics = {
  [topicNames.messages]: facts.messages,
  [topicNames.plans]: facts.plans,
  [topicNames.outcomes]: facts.outcomes,
  [topicNames.reports]: facts.reports,
  [topicNames.clicks]: facts.reports,
  [topicNames.erasures]: Erasure,
} as const;

export type Fact = Decoded<typeof topics>;

/** The message was published much earlier. */
const MESSAGE_TIMEOUT_MS = 30_000;
const remembered = { atLeast: 10_000, retentionMs: 3_600_000 } as const;

const ERASED_AT_ONCE = 1_000;

export interface IntakeDeps {
  readonly subscriptions: Pick<SubscriptionStore, 'audience'>;
  readonly messages: Pick<MessageStore, 'keep' | 'find'>;
  readonly pending: Pick<PendingReports, 'purge'>;
  readonly deferred: Pick<PendingReports, 'purge'>;
  readonly sentValues: Pick<SentValues, 'erase'>;
  readonly writer: Pick<LogWriter<WebhookCommand, unknown>, 'submit'>;
  readonly clock: Clock;
  readonly now?: () => number;
}

/** Idempotent. Takes leading facts of one partition: an outcome may precede its message. */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #now: () => number;
  /** Outlives the wait, so that a message is waited for once. */
  readonly #missing: RecentEntries<number>;
  readonly #purged: RecentEntries<true>;

  constructor({ now = () => performance.now(), ...deps }: IntakeDeps) {
    this.#deps = deps;
    this.#now = now;
    this.#missing = new RecentEntries({ ...remembered, now });
    this.#purged = new RecentEntries({ ...remembered, now });
  }

  async handle(facts: readonly Fact[]): Promise<number> {
    const events = facts.flatMap((fact) => (fact.topic === topicNames.messages ? [fact.value] : []));
    await this.#deps.messages.keep(events);
    const purged = events.flatMap(({ code: message, event }) =>
      event?.$case === 'purged' ? [{ message, ...event.value }] : [],
    );
    for (const { message, whole } of purged) if (whole) this.#purged.set(message, true);
    await this.#deps.pending.purge(purged);
    await this.#deps.deferred.purge(purged);
    await this.#erase(facts.flatMap((fact) => (fact.topic === topicNames.erasures ? [fact.value] : [])));
    const subscribed = await this.#subscribedFacts(facts);
    const ready = await this.#withMessage(subscribed);
    await Promise.all([...this.#outcomes(ready), ...this.#reports(ready)]);
    return ready.length < subscribed.length ? facts.indexOf(subscribed[ready.length]!) : facts.length;
  }

  async #erase(devices: readonly Erasure[]): Promise<void> {
    for (let first = 0; first < devices.length; first += ERASED_AT_ONCE) {
      await this.#deps.sentValues.erase({ devices: devices.slice(first, first + ERASED_AT_ONCE) });
    }
  }

  async #subscribedFacts(facts: readonly Fact[]): Promise<DeliveryFact[]> {
    const found = facts.filter(isDeliveryFact);
    if (found.length === 0) return [];
    const audience = await this.#deps.subscriptions.audience();
    return found.filter(({ value }) => audience.has(value.account, value.application));
  }

  async #withMessage(facts: readonly DeliveryFact[]): Promise<readonly DeliveryFact[]> {
    const messageFacts = facts.map((fact) =>
      isReport(fact) || isOfDeletedApplication(fact.value) ? undefined : fact.value,
    );
    const messages = await this.#deps.messages.find(
      new Set(messageFacts.flatMap((value) => (value ? [sendIdOf(value)] : []))),
    );
    const now = this.#now();
    const awaited = messageFacts.map((value) => value && !messages.has(sendIdOf(value)) && this.#isAwaited(value, now));
    const first = awaited.indexOf(true);
    return first < 0 ? facts : facts.slice(0, first);
  }

  #isAwaited(of: Pick<SliceOutcome, 'message' | 'bucket'>, now: number): boolean {
    if (this.#purged.has(of.message)) return false;
    const id = sendIdOf(of);
    const since = this.#missing.get(id) ?? now;
    this.#missing.set(id, since);
    return now - since <= MESSAGE_TIMEOUT_MS;
  }

  #outcomes(facts: readonly DeliveryFact[]): Promise<unknown>[] {
    return facts.map(async (fact) => {
      if (isReport(fact)) return;
      const sent = fact.topic === topicNames.outcomes ? sentIn(fact.value) : [];
      const others = fact.topic === topicNames.outcomes ? outcomesIn(fact.value) : failedInPlan(fact.value);
      if (sent.length + others.length === 0) return;
      const chunk = fact.topic === topicNames.outcomes ? fact.value.chunk : chunkIn(fact.value);
      await this.#submit({
        kind: 'outcomes',
        unit: unitOf({ ...fact.value, chunk }),
        sent,
        others,
        at: fact.value.at!,
      });
    });
  }

  #reports(facts: readonly DeliveryFact[]): Promise<unknown>[] {
    const values = facts.flatMap((fact) => (isReport(fact) ? [fact.value] : []));
    const byUnit = Map.groupBy(values, messageChunkKey);
    const at = new Date(this.#deps.clock.now());
    return [...byUnit.values()].map(async (reportsOfUnit) => {
      const reports = reportsOfUnit.flatMap(reportsIn);
      const inbox = reportsOfUnit.flatMap(inboxReportsIn);
      if (reports.length + inbox.length === 0) return;
      await this.#submit({ kind: 'reports', unit: unitOf(reportsOfUnit[0]!), reports, inbox, at });
    });
  }

  #submit(command: WebhookCommand & { readonly unit: DeliveryUnit }): Promise<unknown> {
    return this.#deps.writer.submit(webhooksLogOf(command.unit.account), command);
  }
}

type DeliveryFact = Exclude<Fact, { readonly topic: typeof topicNames.messages | typeof topicNames.erasures }>;

type ReportFact = Extract<Fact, { readonly topic: typeof topicNames.reports | typeof topicNames.clicks }>;

const isReport = (fact: DeliveryFact): fact is ReportFact =>
  fact.topic === topicNames.reports || fact.topic === topicNames.clicks;

const chunkIn = ({ event }: PlanEvent): number => (event?.$case === 'chunk' ? event.value.chunk : TEST_CHUNK);

/** Test devices have no events (R-L2). */
const hasResults = (outcome: SliceOutcome): boolean => resultsIn(outcome) !== undefined && outcome.chunk !== TEST_CHUNK;

/** Nearly all plans fail nobody. */
const isFailing = (plan: PlanEvent): boolean =>
  plan.event?.$case === 'chunk' && plan.event.value.failed.length > 0 && chunkIn(plan) !== TEST_CHUNK;

function isDeliveryFact(fact: Fact): fact is DeliveryFact {
  switch (fact.topic) {
    case topicNames.messages:
    case topicNames.erasures:
      return false;
    case topicNames.plans:
      return isFailing(fact.value);
    case topicNames.outcomes:
      return hasResults(fact.value);
    case topicNames.reports:
      // Clicks have a topic of their own.
      return fact.value.chunk !== TEST_CHUNK && fact.value.kind !== ReportKind.REPORT_KIND_MAIL_CLICKED;
    case topicNames.clicks:
      return fact.value.chunk !== TEST_CHUNK;
  }
}
