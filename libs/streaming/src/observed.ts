import {
  activityIn,
  counterIn,
  histogramIn,
  isTracing,
  cached,
  outsideTraces,
  type Reading,
  readIn,
  withTrace,
} from '@tidings/telemetry';
import type { Counter, Registry } from 'prom-client';
import type { Incident } from './consume.ts';
import type { Broker, SubscribeOptions, Subscription } from './broker-port.ts';

const LAG_KEPT_MS = 15_000;

type LabelName = 'group' | 'topic';

export function observed(broker: Broker, metrics: Registry): Broker {
  const published = counterIn(metrics, {
    name: 'tidings_topic_published_records_total',
    help: 'Records that were published and are durable',
    labels: ['topic'],
  });
  const groups = new Set<string>();
  readIn(
    metrics,
    'gauge',
    {
      name: 'tidings_consumer_lag_records',
      help: 'Records that a group has yet to handle',
      labels: ['group', 'topic'],
    },
    cached(LAG_KEPT_MS, async () => (await Promise.all([...groups].map((group) => lagOf(broker, group)))).flat()),
  );
  const handlerOf = observedHandlers(metrics);
  const incidents = incidentsIn(metrics);
  const activity = activityIn(metrics);
  return {
    async publish(topic, records) {
      const traced = isTracing() ? records.map((record) => withTrace(record)) : records;
      const positions = await activity.during(() => broker.publish(topic, traced));
      published.inc({ topic }, records.length);
      return positions;
    },
    addTopic: (topic) => broker.addTopic(topic),
    subscribe(options): Promise<Subscription> {
      // Ephemeral groups have unique names, and metrics keep every name.
      if (options.ephemeral) return broker.subscribe(options);
      groups.add(options.group);
      for (const topic of options.topics) {
        for (const kind of INCIDENTS) incidents.inc({ group: options.group, topic, kind }, 0);
      }
      return broker.subscribe({ ...options, handler: handlerOf(options) });
    },
    lag: (group) => broker.lag(group),
    ends: (topic) => broker.ends(topic),
    groups: () => broker.groups(),
    seek: (group, topic, partition, offset) => broker.seek(group, topic, partition, offset),
    async forget(group) {
      await broker.forget(group);
      groups.delete(group);
    },
    close: () => broker.close(),
  };
}

const INCIDENTS: readonly Incident['kind'][] = ['retried', 'returned', 'dead-lettered', 'unknown'];

/** Alerts need an initial 0. */
const incidentsIn = (metrics: Registry): Counter<LabelName | 'kind'> =>
  counterIn(metrics, {
    name: 'tidings_consumer_incidents_total',
    help: 'Records that were tried again at once, returned to the broker to be delivered later, or dead-lettered, as unknown or otherwise',
    labels: ['group', 'topic', 'kind'],
  });

export function incidentsTo(
  log: { warn(fields: object, text: string): void },
  metrics: Registry,
): (incident: Incident) => void {
  const incidents = incidentsIn(metrics);
  const unknown = new Set<string>();
  return ({ error, ...incident }) => {
    const { group, topic, kind } = incident;
    incidents.inc({ group, topic, kind });
    if (kind === 'unknown' && unknown.has(`${group} ${topic}`)) return;
    if (kind === 'unknown') unknown.add(`${group} ${topic}`);
    log.warn({ ...incident, err: error }, 'record not handled');
  };
}

function observedHandlers(metrics: Registry): (options: SubscribeOptions) => SubscribeOptions['handler'] {
  const handled = counterIn(metrics, {
    name: 'tidings_consumer_records_total',
    help: 'Records that a group has handled, dead letters included',
    labels: ['group', 'topic'],
  });
  const seconds = histogramIn(metrics, {
    name: 'tidings_consumer_batch_seconds',
    help: 'How long a batch of records took its handler, retries included',
    labels: ['group', 'topic'],
  });
  const activity = activityIn(metrics);
  return ({ group, handler }) =>
    async (batch) => {
      const labels: Record<LabelName, string> = { group, topic: batch.topic };
      const startedAt = performance.now();
      try {
        const done = await activity.during(() => outsideTraces(() => handler(batch)));
        handled.inc(labels, done ?? batch.records.length);
        return done;
      } finally {
        seconds.observe(labels, (performance.now() - startedAt) / 1000);
      }
    };
}

async function lagOf(broker: Broker, group: string): Promise<Reading<LabelName>[]> {
  const partitions = await broker.lag(group);
  return partitions.map(({ topic, committed, end }) => ({
    labels: { group, topic },
    value: Math.max(0, end - committed),
  }));
}
