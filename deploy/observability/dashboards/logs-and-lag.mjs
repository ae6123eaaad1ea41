import { dashboard } from '../dashboard.mjs';

/** A panel with the rate of a counter, by its labels. */
const rates = (title, description, counter, ...labels) => ({
  title,
  description,
  unit: 'cps',
  queries: [
    [
      labels.map((label) => `{{${label}}}`).join(' '),
      `sum by (${labels.join(', ')}) (rate(${counter}{$scope}[$__rate_interval]))`,
    ],
  ],
});

/** A panel with the largest value of a gauge that every replica reports alike, by category. */
const gauge = (title, description, metric) => ({
  title,
  description,
  unit: 'short',
  queries: [['{{category}}', `max by (category) (${metric}{$scope})`]],
});

export default dashboard({
  uid: 'tidings-logs-and-lag',
  title: 'Tidings: logs and lag',
  description: 'Commits in logs, their publication by relays, and the groups that handle the records.',
  rows: [
    {
      title: 'Consumer groups',
      panels: [
        {
          title: 'Lag',
          description: 'Records that a group has not handled yet. Every replica reports the same.',
          unit: 'short',
          queries: [['{{group}} {{topic}}', 'max by (group, topic) (tidings_consumer_lag_records{$scope})']],
        },
        rates(
          'Records handled',
          'Records that a group handles, dead letters included.',
          'tidings_consumer_records_total',
          'group',
          'topic',
        ),
        {
          title: 'Handling time of a batch, 95th percentile',
          description: 'Retries included. Above 5 s the group falls behind.',
          unit: 's',
          queries: [
            [
              '{{group}} {{topic}}',
              'histogram_quantile(0.95, sum by (le, group, topic) (rate(tidings_consumer_batch_seconds_bucket{$scope}[$__rate_interval])))',
            ],
          ],
        },
        rates(
          'Incidents',
          'Records that were retried at once, returned to be delivered later, or became dead letters.',
          ...['tidings_consumer_incidents_total', 'group', 'kind'],
        ),
        rates(
          'Records published',
          'Records that are durable in a topic.',
          'tidings_topic_published_records_total',
          'topic',
        ),
      ],
    },
    {
      title: 'Relays',
      panels: [
        gauge(
          'Commits that wait to be published',
          'Kafka accepts no records where the number grows; acknowledged data is safe in its log.',
          'tidings_relay_unpublished_commits',
        ),
        gauge(
          'Logs that wait for a newer version',
          'Logs whose next commit only a newer version can publish.',
          'tidings_relay_held_logs',
        ),
        rates(
          'Commits published',
          'One process at a time publishes a category.',
          'tidings_relay_commits_total',
          'category',
        ),
        rates('Records made of commits', 'Records that relays publish.', 'tidings_relay_records_total', 'category'),
        rates(
          'Commits read from the store',
          'Commits of other processes, or after a crash; all others come from memory.',
          ...['tidings_relay_read_commits_total', 'category'],
        ),
        rates(
          'Commits passed over',
          'Commits that cannot be published; they are in the collection <category>.unpublished.',
          ...['tidings_relay_passed_over_commits_total', 'category'],
        ),
      ],
    },
    {
      title: 'Logs',
      panels: [
        rates('Commands', 'Commands submitted to logs.', 'tidings_log_commands_total', 'category'),
        rates('Commits', 'Commits that are durable.', 'tidings_log_commits_total', 'category'),
        rates('Events', 'Events in commits.', 'tidings_log_events_total', 'category'),
        {
          title: 'Commands decided together',
          description: 'Mean number of commands in a group: it grows with the load.',
          unit: 'short',
          queries: [
            [
              '{{category}}',
              'sum by (category) (rate(tidings_log_commands_total{$scope}[$__rate_interval])) / sum by (category) (rate(tidings_log_groups_total{$scope}[$__rate_interval]))',
            ],
          ],
        },
        rates(
          'Conflicts',
          'Groups decided again, because another writer had the position. Frequent ones mean that routing by log does not work.',
          ...['tidings_log_conflicts_total', 'category'],
        ),
        rates(
          'Unknown outcomes',
          'Inserts of commits whose outcome was unknown at first.',
          ...['tidings_log_unknown_outcomes_total', 'category'],
        ),
        rates(
          'Split groups',
          'Groups that were split and retried, because one command made them fail.',
          ...['tidings_log_split_groups_total', 'category'],
        ),
        rates(
          'Commits of others that are applied',
          'Commits of other or earlier processes that this one applies.',
          ...['tidings_log_applied_commits_total', 'category'],
        ),
      ],
    },
    {
      title: 'Problems of logs',
      panels: [
        gauge('Logs with states behind them', 'Above 0 for long, a writer has died.', 'tidings_log_behind_logs'),
        gauge(
          'Documents in quarantine',
          'Documents blocked by an event that cannot be applied.',
          'tidings_log_quarantined_documents',
        ),
        rates(
          'Problems',
          'Problems that need an operator; each has a line in the log.',
          'tidings_log_problems_total',
          'category',
        ),
      ],
    },
  ],
});
