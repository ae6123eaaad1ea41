const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A day more than the figures' year, which counts from the send date; facts arise later (R-LM3). */
const FIGURES = 366 * DAY;

export const topicNames = {
  applications: 'tidings.applications',
  tokens: 'tidings.tokens',
  devices: 'tidings.devices',
  erasures: 'tidings.erasures',
  visits: 'tidings.visits',
  messages: 'tidings.messages',
  messageTimes: 'tidings.message-times',
  stops: 'tidings.stops',
  fanout: 'tidings.fanout',
  fanoutDirect: 'tidings.fanout.direct',
  plans: 'tidings.plans',
  outcomes: 'tidings.outcomes',
  deadTokens: 'tidings.dead-tokens',
  reports: 'tidings.reports',
  clicks: 'tidings.clicks',
  conversions: 'tidings.conversions',
  jobs: 'tidings.jobs',
  deadLetters: 'tidings.dead-letters',
} as const;

export const batchesTopic = (channel: string, direct: boolean): string =>
  direct ? `tidings.batches.${channel}.direct` : `tidings.batches.${channel}`;

export interface Topic {
  readonly name: string;
  readonly kind: 'work' | 'facts' | 'compacted';
  readonly partitions: number;
  readonly retentionMs: number;
}

const topic = (name: string, kind: Topic['kind'], partitions: number, retentionMs: number): Topic => ({
  name,
  kind,
  partitions,
  retentionMs,
});

/** The retention bounds how long it names devices. */
export const subscriberTopic = (name: string): Topic => topic(name, 'facts', 8, 7 * DAY);

const general: readonly Topic[] = [
  topic(topicNames.applications, 'compacted', 1, 7 * DAY),
  topic(topicNames.tokens, 'compacted', 1, 7 * DAY),
  // Contains personal data: work, so that it is deleted once processed.
  topic(topicNames.devices, 'work', 8, 2 * DAY),
  topic(topicNames.erasures, 'facts', 8, 7 * DAY),
  topic(topicNames.visits, 'facts', 8, 2 * DAY),
  // Contains the content and the audience.
  topic(topicNames.messages, 'facts', 8, 30 * DAY),
  // Accepted up to a year before the send date, from which figures are kept.
  topic(topicNames.messageTimes, 'facts', 1, 2 * FIGURES),
  topic(topicNames.stops, 'facts', 1, 30 * DAY),
  topic(topicNames.fanout, 'work', 8, DAY),
  topic(topicNames.fanoutDirect, 'work', 8, DAY),
  topic(topicNames.plans, 'facts', 8, FIGURES),
  topic(topicNames.outcomes, 'facts', 8, FIGURES),
  // Names push tokens.
  topic(topicNames.deadTokens, 'work', 8, 2 * DAY),
  topic(topicNames.reports, 'facts', 8, FIGURES),
  // Contains the addresses of links in mails.
  topic(topicNames.clicks, 'facts', 8, 30 * DAY),
  topic(topicNames.conversions, 'facts', 8, FIGURES),
  topic(topicNames.jobs, 'facts', 8, 7 * DAY),
  topic(topicNames.deadLetters, 'facts', 1, 30 * DAY),
];

export function topics(channels: readonly string[]): readonly Topic[] {
  const lanes = channels.flatMap((channel) => [
    topic(batchesTopic(channel, false), 'work', 8, DAY),
    topic(batchesTopic(channel, true), 'work', 8, DAY),
  ]);
  return [...general, ...lanes];
}
