const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Retention of facts: one day longer than the year of figures (R-LM3), which counts from the send date; facts arise later. */
const FIGURES = 366 * DAY;

/** Names of the topics (architecture 6): tests, tools and subscribers rely on them. */
export const topicNames = {
  applications: 'tidings.applications',
  tokens: 'tidings.tokens',
  devices: 'tidings.devices',
  erasures: 'tidings.erasures',
  visits: 'tidings.visits',
  messages: 'tidings.messages',
  messageTimes: 'tidings.message-times',
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

/** Topic of a channel's batches; the direct lane carries messages to named recipients. */
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

/** The topic of a subscriber's own, if Tidings makes it. The retention bounds how long it names devices. */
export const subscriberTopic = (name: string): Topic => topic(name, 'facts', 8, 7 * DAY);

/** The topics that belong to no channel, with partitions and retention. */
const general: readonly Topic[] = [
  topic(topicNames.applications, 'compacted', 1, 7 * DAY),
  topic(topicNames.tokens, 'compacted', 1, 7 * DAY),
  // Contains personal data: deleted as soon as the registry's reactions have processed it, if the log supports that (architecture 4, erasure).
  topic(topicNames.devices, 'work', 8, 2 * DAY),
  topic(topicNames.erasures, 'facts', 8, 7 * DAY),
  topic(topicNames.visits, 'facts', 8, 2 * DAY),
  // Contains the content and the audience.
  topic(topicNames.messages, 'facts', 8, 30 * DAY),
  // A message may be accepted a year before its send date, which its figures are kept from.
  topic(topicNames.messageTimes, 'facts', 1, 2 * FIGURES),
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

/** Every topic of a deployment that runs these channels. */
export function topics(channels: readonly string[]): readonly Topic[] {
  const lanes = channels.flatMap((channel) => [
    topic(batchesTopic(channel, false), 'work', 8, DAY),
    topic(batchesTopic(channel, true), 'work', 8, DAY),
  ]);
  return [...general, ...lanes];
}
