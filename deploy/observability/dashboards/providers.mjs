import { dashboard } from '../dashboard.mjs';

const outcomes = 'tidings_dispatch_outcomes_total{$scope, channel=~"$channel"}';
const ours = 'tidings_dispatch_outcomes_total{$scope, channel=~"$channel", category!="SENT"}';
const answers = 'tidings_dispatch_provider_seconds_bucket{$scope, channel=~"$channel"}';

const quantile = (share) => [
  `{{channel}} {{lane}} p${share * 100}`,
  `histogram_quantile(${share}, sum by (le, channel, lane) (rate(${answers}[$__rate_interval])))`,
];

export default dashboard({
  uid: 'tidings-providers',
  title: 'Tidings: providers',
  description: 'Answers of push providers and mail servers, by channel.',
  variables: [{ name: 'channel', label: 'Channel', series: 'tidings_dispatch_throttled_credentials{$scope}' }],
  rows: [
    {
      title: 'Outcomes',
      panels: [
        {
          title: 'Share of failed devices',
          description: 'Devices that failed finally, as a share of all devices of the channel, by category.',
          unit: 'percentunit',
          queries: [
            [
              '{{channel}} {{category}}',
              `sum by (channel, category) (rate(${ours}[$__rate_interval])) / on (channel) group_left () sum by (channel) (rate(${outcomes}[$__rate_interval]))`,
            ],
          ],
        },
        {
          title: 'Failures by code of the provider',
          description: "Devices that failed finally, by category and the provider's code; 0 is a local cause.",
          unit: 'cps',
          queries: [
            ['{{channel}} {{category}} {{code}}', `sum by (channel, category, code) (rate(${ours}[$__rate_interval]))`],
          ],
        },
      ],
    },
    {
      title: 'Speed',
      panels: [
        {
          title: 'Response time, median',
          description:
            'Response time of the provider for the first push of each slice, half of them: by channel and lane.',
          unit: 's',
          queries: [quantile(0.5)],
        },
        {
          title: 'Response time, 95th and 99th percentile',
          description:
            'Response time of the provider for the first push of each slice, the slow ones. An answer later than 4 s counts as late.',
          unit: 's',
          queries: [quantile(0.95), quantile(0.99)],
        },
      ],
    },
    {
      title: 'Throttles and connections',
      panels: [
        {
          title: 'Throttled credentials',
          description: 'Credentials whose provider asked to wait. Their slices wait, and nothing is lost.',
          unit: 'short',
          queries: [
            ['{{channel}}', 'max by (channel) (tidings_dispatch_throttled_credentials{$scope, channel=~"$channel"})'],
          ],
        },
        {
          title: 'Throttled push services of browsers',
          description:
            'Pairs of a credential and a push service that asked it to wait, in the process that knows most.',
          unit: 'short',
          queries: [
            ['{{channel}}', 'max by (channel) (tidings_dispatch_throttled_services{$scope, channel=~"$channel"})'],
          ],
        },
        {
          title: 'Deferred slices',
          description: 'Slices that wait for a later time, in all processes of the channel.',
          unit: 'short',
          queries: [
            ['{{channel}}', 'max by (channel) (tidings_dispatch_deferred_slices{$scope, channel=~"$channel"})'],
          ],
        },
        {
          title: 'Failed connections',
          description: 'Connections to the provider that failed to open, or closed before serving a request, by cause.',
          unit: 'cps',
          queries: [
            [
              '{{channel}} {{cause}}',
              'sum by (channel, cause) (rate(tidings_dispatch_connection_failures_total{$scope, channel=~"$channel"}[$__rate_interval]))',
            ],
          ],
        },
      ],
    },
    {
      title: 'Incoming mail',
      panels: [
        {
          title: 'Mails by kind',
          description: 'Mails to the domain of return paths: bounces, complaints, and kinds without effect.',
          unit: 'cps',
          stacked: true,
          queries: [['{{kind}}', 'sum by (kind) (rate(tidings_incoming_mails_total{$scope}[$__rate_interval]))']],
        },
        {
          title: 'Refusals',
          description: 'Refused recipients and mails. Mails that are unavailable are repeated by their servers.',
          unit: 'cps',
          queries: [
            ['{{reason}}', 'sum by (reason) (rate(tidings_incoming_mail_refusals_total{$scope}[$__rate_interval]))'],
          ],
        },
      ],
    },
  ],
});
