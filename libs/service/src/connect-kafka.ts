import { topics } from '@tidings/events';
import { channels, type Clock } from '@tidings/kernel';
import type { Configuration, Logger } from '@tidings/runtime';
import { type Broker, openKafkaBroker } from '@tidings/streaming';

export interface KafkaOptions {
  /** The name of the process in the brokers' logs. */
  readonly name: string;
  readonly configuration: Pick<
    Configuration,
    'kafkaBrokers' | 'kafkaNamespace' | 'kafkaSecurity' | 'kafkaReplicationFactor'
  >;
  readonly log: Logger;
}

const MOST_COPIES = 3;

/** Copies of each record in the topics that Tidings creates. */
export const copiesOf = ({
  kafkaBrokers,
  kafkaReplicationFactor,
}: Pick<Configuration, 'kafkaBrokers' | 'kafkaReplicationFactor'>): number =>
  kafkaReplicationFactor ?? Math.min(kafkaBrokers.length, MOST_COPIES);

/** The connection options of Kafka. */
export const kafkaOptions = ({
  name,
  configuration: { kafkaBrokers, kafkaNamespace, kafkaSecurity },
  log,
}: KafkaOptions) => ({
  brokers: kafkaBrokers.join(','),
  namespace: kafkaNamespace,
  clientId: `tidings-${name}`,
  ...kafkaSecurity,
  warn: (text: string, cause: unknown): void => log.warn({ err: cause }, text),
});

/**
 * Connects to Kafka.
 * @throws Fault `unavailable` while it does not answer or lacks topics.
 */
export const connectKafka = (deps: KafkaOptions & { readonly clock: Clock }): Promise<Broker> =>
  openKafkaBroker({
    ...{ ...kafkaOptions(deps), topics: topics(channels), clock: deps.clock },
    replicationFactor: copiesOf(deps.configuration),
  });
