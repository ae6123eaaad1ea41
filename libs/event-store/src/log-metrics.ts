import { activityIn, readIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';
import type { CountingLogWriter } from './log-options.ts';
import type { WriterCounts } from './problems.ts';
import type { Relay } from './relay/open-relay.ts';
import type { RelayCounts } from './relay/tail.ts';

export interface MeteredLogs {
  readonly category: string;
  readonly writer: Pick<CountingLogWriter<never, unknown>, 'counts'>;
  readonly relay?: Pick<Relay<never>, 'counts' | 'blockedLogs' | 'unpublished'>;
}

type Counted<Counts> = readonly (readonly [
  count: keyof Counts,
  type: 'counter' | 'gauge',
  name: `tidings_${string}`,
  help: string,
])[];

const written: Counted<WriterCounts> = [
  ['commands', 'counter', 'tidings_log_commands_total', 'Commands that were submitted'],
  ['groups', 'counter', 'tidings_log_groups_total', 'Groups that commands were decided in'],
  ['commits', 'counter', 'tidings_log_commits_total', 'Commits that are durable'],
  ['events', 'counter', 'tidings_log_events_total', 'Events in these commits'],
  ['conflicts', 'counter', 'tidings_log_conflicts_total', 'Groups decided again: another writer had the number'],
  [
    'unknownOutcomes',
    'counter',
    'tidings_log_unknown_outcomes_total',
    'Inserts of commits whose outcome was unknown at first',
  ],
  ['split', 'counter', 'tidings_log_split_groups_total', 'Groups that failed and were tried in smaller ones'],
  ['applied', 'counter', 'tidings_log_applied_commits_total', 'Commits of others, or of a former life, applied here'],
  ['problems', 'counter', 'tidings_log_problems_total', 'What an operator must know of; the log has a line for each'],
  ['behind', 'gauge', 'tidings_log_behind_logs', 'Logs whose states were behind them when last looked at'],
  [
    'quarantined',
    'gauge',
    'tidings_log_quarantined_documents',
    'Documents that stand still until an event of theirs can be applied',
  ],
];

const relayed: Counted<RelayCounts> = [
  ['commits', 'counter', 'tidings_relay_commits_total', 'Commits that were published'],
  ['records', 'counter', 'tidings_relay_records_total', 'Records that they became'],
  ['read', 'counter', 'tidings_relay_read_commits_total', 'Commits read back: from others, or from a former life'],
  [
    'skipped',
    'counter',
    'tidings_relay_passed_over_commits_total',
    'Commits that could not be published, and are kept',
  ],
];

export function logMetrics(registry: Registry, { category, writer, relay }: MeteredLogs): void {
  const register = <Counts>(of: Counted<Counts>, counts: Counts): void => {
    for (const [count, type, name, help] of of) {
      const definition = { name, help, labels: ['category'] } as const;
      readIn(registry, type, definition, () => [{ labels: { category }, value: counts[count] as number }]);
    }
  };
  register(written, writer.counts);
  const { counts } = writer;
  activityIn(registry).add(() => counts.commands + counts.commits);
  if (!relay) return;
  register(relayed, relay.counts);
  for (const [name, help, value] of [
    [
      'tidings_relay_unpublished_commits',
      'Commits that wait to be published; a log with more than memory holds counts one for all the rest',
      () => relay.unpublished(),
    ],
    ['tidings_relay_held_logs', 'Logs whose next commit only a newer version can publish', () => relay.blockedLogs()],
  ] as const) {
    readIn(registry, 'gauge', { name, help, labels: ['category'] }, () => [{ labels: { category }, value: value() }]);
  }
}
