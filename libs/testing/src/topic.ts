import { topics } from '@tidings/events';
import { channels, randomBase62, systemClock } from '@tidings/kernel';
import type { Cluster } from '@tidings/platform';
import { type InRecord, openKafkaBroker, DEAD_LETTER_TOPIC, readDeadLetter } from '@tidings/streaming';

type Stores = Pick<Cluster, 'kafkaBrokers'>;

/** All current records of a topic, ordered per partition. */
export async function everythingOn({ kafkaBrokers: brokers }: Stores, topic: string): Promise<readonly InRecord[]> {
  const group = `test.${randomBase62(10)}`;
  const found: InRecord[] = [];
  const broker = await openKafkaBroker({
    ...{ brokers, clientId: 'test', warn: () => undefined },
    ...{ clock: systemClock, topics: topics(channels) },
  });
  const isThere = async (): Promise<boolean> => {
    const lag = await broker.lag(group);
    return lag.length > 0 && lag.every(({ committed, end }) => committed === end);
  };
  try {
    const handler = async ({ records }: { readonly records: readonly InRecord[] }) => void found.push(...records);
    const subscription = await broker.subscribe({ group, topics: [topic], handler });
    while (!(await isThere()));
    await subscription.stop();
  } finally {
    await broker.close();
  }
  return found;
}

/** All dead letters so far, one line each: a temporary outage must not lose a record. */
export async function deadLetters(stores: Stores): Promise<string[]> {
  const records = await everythingOn(stores, DEAD_LETTER_TOPIC);
  return records.map(({ value }) => {
    const { group, topic, partition, offset, error } = readDeadLetter(value);
    return `${group} dead-lettered ${topic}/${partition} ${offset}: ${error}`;
  });
}
