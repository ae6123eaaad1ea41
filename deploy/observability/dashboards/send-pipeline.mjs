import { dashboard } from '../dashboard.mjs';

export default dashboard({
  uid: 'tidings-send-pipeline',
  title: 'Tidings: send pipeline',
  description: 'Messages on their way from the API to the providers, with bulk jobs and events for subscribers.',
  rows: [
    {
      title: 'Standstill',
      panels: [
        {
          title: 'Oldest due message',
          description:
            'Time since the send date of the oldest message that is due and not released. Above 10 s no scheduler releases messages.',
          unit: 's',
          alarmAbove: 10,
          queries: [['due', 'max(tidings_scheduler_oldest_due_seconds{$scope})']],
        },
        {
          title: 'Oldest unfinished message',
          description:
            'Time since the release of the oldest unfinished message. Above the duration of the largest broadcast a part is stuck.',
          unit: 's',
          alarmAbove: 3600,
          queries: [['unfinished', 'max(tidings_scheduler_oldest_unfinished_seconds{$scope})']],
        },
        {
          title: 'Oldest pending job',
          description: 'Time since the oldest unfinished bulk job or export was accepted.',
          unit: 's',
          alarmAbove: 3600,
          queries: [['pending', 'max(tidings_jobs_oldest_pending_seconds{$scope})']],
        },
        {
          title: 'Services that assign no ids',
          description: 'Registries and schedulers without a number for ids: they refuse work that needs a new id.',
          unit: 'short',
          alarmAbove: 1,
          queries: [['blocked', 'sum(tidings_ids_blocked{$scope})']],
        },
      ],
    },
    {
      title: 'Fan-out',
      panels: [
        {
          title: 'Slices emitted',
          description: 'Slices of up to 500 devices that are emitted for the first time, by channel.',
          unit: 'cps',
          stacked: true,
          queries: [
            [
              '{{channel}}',
              'sum by (channel) (rate(tidings_fanout_slices_total{$scope, emission="first"}[$__rate_interval]))',
            ],
          ],
        },
        {
          title: 'Slices emitted again',
          description:
            'Slices that were lost in transit or whose dispatcher died, by channel. It is 0 in a healthy system.',
          unit: 'cps',
          queries: [
            [
              '{{channel}}',
              'sum by (channel) (rate(tidings_fanout_slices_total{$scope, emission="again"}[$__rate_interval]))',
            ],
          ],
        },
        {
          title: 'Open slices',
          description:
            'Slices of messages released at least 5 s ago that are not settled: due again, in flight, or deferred.',
          unit: 'short',
          queries: [['{{state}}', 'sum by (state) (tidings_fanout_open_slices{$scope})']],
        },
        {
          title: 'Events of messages',
          description: 'A message is accepted, released and completed: three events in commits of its log.',
          unit: 'cps',
          queries: [['events', 'sum(rate(tidings_log_events_total{$scope, category="messages"}[$__rate_interval]))']],
        },
      ],
    },
    {
      title: 'Dispatch',
      panels: [
        {
          title: 'Devices sent to',
          description: 'Devices whose push the provider accepted, by channel.',
          unit: 'cps',
          stacked: true,
          queries: [
            [
              '{{channel}}',
              'sum by (channel) (rate(tidings_dispatch_outcomes_total{$scope, category="SENT"}[$__rate_interval]))',
            ],
          ],
        },
        {
          title: 'Devices that failed',
          description: 'Devices that failed finally, by category. Dead tokens are part of every broadcast.',
          unit: 'cps',
          stacked: true,
          queries: [
            [
              '{{category}}',
              'sum by (category) (rate(tidings_dispatch_outcomes_total{$scope, category!="SENT"}[$__rate_interval]))',
            ],
          ],
        },
        {
          title: 'Batches received',
          description: 'Batches of up to four slices that dispatchers receive, by channel and lane.',
          unit: 'cps',
          queries: [
            [
              '{{channel}} {{lane}}',
              'sum by (channel, lane) (rate(tidings_dispatch_batch_devices_count{$scope}[$__rate_interval]))',
            ],
          ],
        },
        {
          title: 'Devices in a batch',
          description: 'Mean number of devices in a batch, by channel and lane.',
          unit: 'short',
          queries: [
            [
              '{{channel}} {{lane}}',
              'sum by (channel, lane) (rate(tidings_dispatch_batch_devices_sum{$scope}[$__rate_interval])) / sum by (channel, lane) (rate(tidings_dispatch_batch_devices_count{$scope}[$__rate_interval]))',
            ],
          ],
        },
        {
          title: 'Slices being sent',
          description:
            'Slices being sent or waiting for slots, by channel and lane. A process has up to eight of a lane.',
          unit: 'short',
          queries: [['{{channel}} {{lane}}', 'sum by (channel, lane) (tidings_dispatch_open_slices{$scope})']],
        },
        {
          title: 'Devices that hold slots',
          description: 'Devices being sent to, or sent to without an answer yet. A lane of a process has up to 4,000.',
          unit: 'short',
          queries: [['{{channel}} {{lane}}', 'sum by (channel, lane) (tidings_dispatch_open_devices{$scope})']],
        },
        {
          title: 'Slices with a detour',
          description: 'Slices that were deferred, taken over from a dead worker, or lost with an expired lease.',
          unit: 'cps',
          queries: [
            [
              '{{channel}} {{event}}',
              'sum by (channel, event) (rate(tidings_dispatch_slices_total{$scope}[$__rate_interval]))',
            ],
          ],
        },
      ],
    },
    {
      title: 'Jobs and events for subscribers',
      panels: [
        {
          title: 'Failed jobs',
          description: 'Bulk jobs and exports that failed, by reason.',
          unit: 'short',
          queries: [
            ['{{reason}}', 'sum by (reason) (increase(tidings_jobs_failures_total{$scope}[$__rate_interval]))'],
          ],
        },
        {
          title: 'Events for subscribers',
          description:
            'Events by end: acked; refused, late, broken or unmade, which are sent again; deferred; given_up after 72 h; dropped for newer ones; gone with their device.',
          unit: 'cps',
          queries: [['{{end}}', 'sum by (end) (rate(tidings_webhooks_events_total{$scope}[$__rate_interval]))']],
        },
        {
          title: 'Streams of subscribers',
          description: 'Streams that are connected.',
          unit: 'short',
          queries: [['streams', 'sum(tidings_webhooks_streams{$scope})']],
        },
        {
          title: 'Unacknowledged events',
          description: 'Events that were sent and are not acknowledged yet.',
          unit: 'short',
          queries: [['events', 'sum(tidings_webhooks_unacked_events{$scope})']],
        },
        {
          title: 'Deferred events',
          description:
            'Events that subscribers failed alone three times, and later ones of the same device and message.',
          unit: 'short',
          queries: [['events', 'sum(tidings_webhooks_deferred_events{$scope})']],
        },
        {
          title: 'Age of deferred events',
          description: 'Time since the oldest deferred event happened: after 72 hours it is dropped.',
          unit: 's',
          queries: [['age', 'time() - min(tidings_webhooks_oldest_deferred_timestamp_seconds{$scope} > 0)']],
        },
      ],
    },
  ],
});
