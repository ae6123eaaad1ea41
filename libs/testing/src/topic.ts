import { setTimeout as delay } from 'node:timers/promises';
import { topics } from '@tidings/events';
import { channels, randomBase62, systemClock } from '@tidings/kernel';
import type { Cluster } from '@tidings/demo';
import { type Broker, type InRecord, openKafkaBroker, DEAD_LETTER_TOPIC, readDeadLetter } from '@tidings/streaming';

type Stores = Pick<Cluster, 'kafkaBrokers'>;

const POLL_MS = 10;

/** Ordered per partition. */
export async function recordsOf(
  broker: Pick<Broker, 'subscribe' | 'lag'>,
  topic: string,
): Promise<readonly InRecord[]> {
  const group = `test.${randomBase62(10)}`;
  const found: InRecord[] = [];
  const exists = async (): Promise<boolean> => {
    const lag = await broker.lag(group);
    return lag.length > 0 && lag.every(({ committed, end }) => committed === end);
  };
  const handler = async ({ records }: { readonly records: readonly InRecord[] }) => void found.push(...records);
  const subscription = await broker.subscribe({ group, topics: [topic], handler });
  while (!(await exists())) await delay(POLL_MS);
  await subscription.stop();
  return found;
}

export async function everythingOn(
  { kafkaBrokers: brokers }: Stores,
  topic: string,
  namespace = '',
): Promise<readonly InRecord[]> {
  const broker = await openKafkaBroker({
    brokers,
    namespace,
    clientId: 'test',
    warn: () => undefined,
    clock: systemClock,
    topics: topics(channels),
  });
  try {
    await broker.addTopic({ name: topic, kind: 'facts', partitions: 1, retentionMs: 1 });
    return await recordsOf(broker, topic);
  } finally {
    await broker.close();
  }
}

/** One line each: a temporary outage must not lose a record. */
export async function deadLetters(stores: Stores): Promise<string[]> {
  const records = await everythingOn(stores, DEAD_LETTER_TOPIC);
  return records.map(({ value }) => {
    const { group, topic, partition, offset, error } = readDeadLetter(value);
    return `${group} dead-lettered ${topic}/${partition} ${offset}: ${error}`;
  });
}
