import { topics } from '@tidings/events';
import { channels, type Clock } from '@tidings/kernel';
import type { Configuration, Logger } from '@tidings/runtime';
import { type Broker, openKafkaBroker } from '@tidings/streaming';

export interface KafkaOptions {
  readonly name: string;
  readonly configuration: Pick<
    Configuration,
    'kafkaBrokers' | 'kafkaNamespace' | 'kafkaSecurity' | 'kafkaReplicationFactor'
  >;
  readonly log: Logger;
}

export const kafkaOptions = ({
  name,
  configuration: { kafkaBrokers, kafkaNamespace, kafkaSecurity, kafkaReplicationFactor },
  log,
}: KafkaOptions) => ({
  brokers: kafkaBrokers.join(','),
  namespace: kafkaNamespace,
  clientId: `tidings-${name}`,
  replicationFactor: kafkaReplicationFactor,
  ...kafkaSecurity,
  warn: (text: string, cause: unknown): void => log.warn({ err: cause }, text),
});

export const connectKafka = (deps: KafkaOptions & { readonly clock: Clock }): Promise<Broker> =>
  openKafkaBroker({ ...kafkaOptions(deps), topics: topics(channels), clock: deps.clock });
