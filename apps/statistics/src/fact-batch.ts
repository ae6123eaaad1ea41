import { Conversion, facts, type MessageEvent, topicNames } from '@tidings/events';
import type { Decoded } from '@tidings/streaming';
import { actionChanges, type ActivityChange, openChanges } from './conversions/facts.ts';
import { purgedApplications } from './message-facts.ts';
import type { StatisticsFacts } from './projections/statistics-model.ts';
import { gatherReports, type ReportsOfChunk } from './report-changes.ts';
import { chunkOf, reportReader } from './report-reader.ts';
import { type Change, changesOfOutcome, changesOfPlan } from './stages.ts';

/** `tidings.message-times` keeps events for longer; only a replay reads it. */
export const topics = {
  [topicNames.messages]: facts.messages,
  [topicNames.plans]: facts.plans,
  [topicNames.outcomes]: facts.outcomes,
  [topicNames.reports]: reportReader,
  [topicNames.conversions]: Conversion,
} as const;

export const timesTopics = {
  [topicNames.messageTimes]: facts.messages,
  [topicNames.messages]: facts.messages,
} as const;

export type Fact = Decoded<typeof topics & typeof timesTopics>;

const areOfTopic = <T extends Fact['topic']>(
  topic: T,
  records: readonly Fact[],
): records is readonly Extract<Fact, { topic: T }>[] => records[0]?.topic === topic;

export interface FactBatch {
  readonly statistics: StatisticsFacts;
  readonly activity: readonly ActivityChange[];
  readonly purged: readonly string[];
}

export function factBatchOf(records: readonly Fact[]): FactBatch {
  const statistics = statisticsFactsOf(records);
  const { events, reported } = statistics;
  return {
    statistics,
    activity: [...openChanges(reported), ...actionsOf(records)],
    purged: purgedApplications(events),
  };
}

export const statisticsFactsOf = (records: readonly Fact[]): StatisticsFacts => ({
  events: eventsOf(records),
  own: changesOf(records),
  reported: reportsOf(records),
});

const eventsOf = (records: readonly Fact[]): MessageEvent[] =>
  areOfTopic(topicNames.messages, records) || areOfTopic(topicNames.messageTimes, records)
    ? records.map(({ value }) => value)
    : [];

const reportsOf = (records: readonly Fact[]): ReportsOfChunk[] =>
  areOfTopic(topicNames.reports, records) ? gatherReports(records) : [];

const actionsOf = (records: readonly Fact[]): ActivityChange[] =>
  areOfTopic(topicNames.conversions, records) ? actionChanges(records.map(({ value }) => value)) : [];

function changesOf(records: readonly Fact[]): Change[] {
  if (areOfTopic(topicNames.plans, records)) return records.flatMap(({ value }) => changesOfPlan(value));
  if (areOfTopic(topicNames.outcomes, records)) return records.flatMap(({ value }) => changesOfOutcome(value));
  return [];
}

export function messageOf({ value }: Fact): string | undefined {
  if ('payload' in value) return chunkOf(value).message;
  return 'message' in value ? value.message : undefined;
}

export function messagesOf(records: readonly Fact[]): Set<string> {
  const keys = new Set<string>();
  const codes = new Set<string>();
  for (const record of records) {
    if (keys.has(record.key)) continue;
    keys.add(record.key);
    const code = messageOf(record);
    if (code !== undefined) codes.add(code);
  }
  return codes;
}
