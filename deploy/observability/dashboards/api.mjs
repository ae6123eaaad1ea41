import { dashboard } from '../dashboard.mjs';

const requests = 'tidings_http_request_seconds_count';

const quantile = (share) => [
  `p${share * 100}`,
  `histogram_quantile(${share}, sum by (le) (rate(tidings_http_request_seconds_bucket{$scope}[$__rate_interval])))`,
];

/** A panel with a value of each process. */
const perProcess = (title, description, unit, expr) => ({
  title,
  description,
  unit,
  queries: [['{{job}} {{instance}}', expr]],
});

export default dashboard({
  uid: 'tidings-api',
  title: 'Tidings: API',
  description: 'Requests of callers, calls between services, and the processes.',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests by result',
          description: 'Requests by ok, wrongVerb, slow (the body did not arrive in time), or the kind of fault.',
          unit: 'reqps',
          stacked: true,
          queries: [['{{result}}', `sum by (result) (rate(${requests}{$scope}[$__rate_interval]))`]],
        },
        {
          title: 'Requests by method',
          description: 'Requests by method of the API, or the pattern of another path.',
          unit: 'reqps',
          stacked: true,
          queries: [['{{method}}', `sum by (method) (rate(${requests}{$scope}[$__rate_interval]))`]],
        },
        {
          title: 'Share of errors',
          description:
            'Requests that ended as unavailable or by an internal error, as a share of all requests of the method.',
          unit: 'percentunit',
          queries: [
            [
              '{{method}}',
              `sum by (method) (rate(${requests}{$scope, result=~"unavailable|bug"}[$__rate_interval])) / sum by (method) (rate(${requests}{$scope}[$__rate_interval]))`,
            ],
          ],
        },
        {
          title: 'Response time',
          description: 'Median, 95th and 99th percentile of all requests.',
          unit: 's',
          queries: [quantile(0.5), quantile(0.95), quantile(0.99)],
        },
        {
          title: 'Response time by method, 95th percentile',
          description: 'The slow requests of each method.',
          unit: 's',
          queries: [
            [
              '{{method}}',
              'histogram_quantile(0.95, sum by (le, method) (rate(tidings_http_request_seconds_bucket{$scope}[$__rate_interval])))',
            ],
          ],
        },
        perProcess(
          'Requests in progress',
          'Those answered at the deadline whose work continues are included.',
          ...['short', 'sum by (job, instance) (tidings_http_pending_requests{$scope})'],
        ),
        perProcess(
          'Dropped connections',
          'Connections closed at once, because the limit was reached.',
          ...['cps', 'sum by (job, instance) (rate(tidings_http_dropped_connections_total{$scope}[$__rate_interval]))'],
        ),
        {
          title: 'Flooded connections',
          description: 'Connections closed because the client sends without end, or does not read.',
          unit: 'cps',
          queries: [
            ['{{protocol}}', 'sum by (protocol) (rate(tidings_flooded_connections_total{$scope}[$__rate_interval]))'],
          ],
        },
        perProcess(
          'Age of the geo-IP database',
          'Time since the database in use was built; gateways without one show nothing.',
          ...['s', 'max by (job, instance) (time() - tidings_geoip_built_timestamp_seconds{$scope})'],
        ),
        perProcess(
          'Unusable geo-IP file',
          '1: the file is missing or broken, and the database before stays in use.',
          ...['short', 'max by (job, instance) (tidings_geoip_file_failed{$scope})'],
        ),
      ],
    },
    {
      title: 'Calls between services (distributed mode)',
      panels: [
        {
          title: 'Calls',
          description: 'Calls, repeats included, as their callers see them.',
          unit: 'reqps',
          queries: [
            ['{{service}}', 'sum by (service) (rate(tidings_rpc_client_call_seconds_count{$scope}[$__rate_interval]))'],
          ],
        },
        {
          title: 'Failed calls',
          description: 'Calls with another status code than OK.',
          unit: 'reqps',
          queries: [
            [
              '{{service}}/{{method}} {{code}}',
              'sum by (service, method, code) (rate(tidings_rpc_client_call_seconds_count{$scope, code!="OK"}[$__rate_interval]))',
            ],
          ],
        },
        {
          title: 'Duration of calls, 95th percentile',
          description: 'As callers see it: the way to the service and back is included.',
          unit: 's',
          queries: [
            [
              '{{service}}/{{method}}',
              'histogram_quantile(0.95, sum by (le, service, method) (rate(tidings_rpc_client_call_seconds_bucket{$scope}[$__rate_interval])))',
            ],
          ],
        },
        {
          title: 'Duration of served calls, 95th percentile',
          description: 'As services see it: the difference to the callers is the way.',
          unit: 's',
          queries: [
            [
              '{{service}}/{{method}}',
              'histogram_quantile(0.95, sum by (le, service, method) (rate(tidings_rpc_server_call_seconds_bucket{$scope}[$__rate_interval])))',
            ],
          ],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        perProcess(
          'Delay of the event loop, 99th percentile',
          'Since the last scrape. 0.1 s is idle: the period of the timer that measures it. Above 0.5 s the process is overloaded.',
          ...['s', 'max by (job, instance) (nodejs_eventloop_lag_p99_seconds{$scope})'],
        ),
        perProcess(
          'CPU time',
          'Seconds of CPU time a second: 1 is a core.',
          ...['short', 'sum by (job, instance) (rate(process_cpu_seconds_total{$scope}[$__rate_interval]))'],
        ),
        perProcess(
          'Resident memory',
          'Memory of the process.',
          ...['bytes', 'sum by (job, instance) (process_resident_memory_bytes{$scope})'],
        ),
        perProcess(
          'Heap in use',
          'Heap of V8 that is in use.',
          ...['bytes', 'sum by (job, instance) (nodejs_heap_size_used_bytes{$scope})'],
        ),
        perProcess(
          'Open files',
          'Open files as a share of the limit.',
          ...[
            'percentunit',
            'sum by (job, instance) (process_open_fds{$scope}) / sum by (job, instance) (process_max_fds{$scope})',
          ],
        ),
        {
          title: 'Processes by version',
          description: 'There are two versions during an upgrade.',
          unit: 'short',
          stacked: true,
          queries: [['{{version}}', 'count by (version) (tidings_build_info{$scope})']],
        },
        perProcess(
          'Readiness',
          '1: the process takes work. 0: it starts, ends, or waits for a dependency, which /readyz names.',
          ...['short', 'min by (job, instance) (tidings_ready{$scope})'],
        ),
        {
          title: 'Free room of MongoDB',
          description: 'On the volume of the primary. Below TIDINGS_MIN_FREE_MB, writes of callers are refused.',
          unit: 'bytes',
          queries: [['free', 'min(tidings_store_free_bytes{$scope})']],
        },
        {
          title: 'Time to the expiry of certificates',
          description: 'By connection. A renewed certificate is used from the next start of the process on.',
          unit: 's',
          queries: [
            [
              '{{job}} {{instance}} {{connection}}',
              'min by (job, instance, connection) (tidings_tls_certificate_expiry_timestamp_seconds{$scope}) - time()',
            ],
          ],
        },
      ],
    },
  ],
});
