import { channelNames } from '@tidings/channels';
import { topics } from '@tidings/events';
import { type Configuration, giveUp, openLog, readServiceEnv } from '@tidings/runtime';
import { untilThere } from '@tidings/coordination';
import { kafkaOptions } from '@tidings/service';
import { createTopics } from '@tidings/streaming';

/** How long Kafka is waited for. */
const PATIENCE_MS = 60_000;
const MOST_COPIES = 3;

const name = 'topics';

/** Makes the topics of all channels as they should be, before the services start; may be repeated at any time. */
async function makeTopics(configuration: Configuration): Promise<void> {
  const { kafkaBrokers, kafkaReplicationFactor = Math.min(kafkaBrokers.length, MOST_COPIES) } = configuration;
  const log = openLog(configuration.logLevel).child({ service: name });
  const options = {
    ...kafkaOptions({ name, configuration, log }),
    topics: topics(channelNames()),
    replicationFactor: kafkaReplicationFactor,
  };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { created, altered } = await untilThere('kafka', () => createTopics(options), { log, signal });
  log.info({ created, altered }, 'ready');
}

try {
  await makeTopics(readServiceEnv({ required: ['KAFKA_BROKERS'], peers: [] }));
} catch (error) {
  giveUp(`Tidings ${name}`, error);
}
