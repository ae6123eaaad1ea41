import { channelNames } from '@tidings/channels';
import { topics } from '@tidings/events';
import { type Configuration, giveUp, openLog, readServiceEnv } from '@tidings/runtime';
import { waitForDependency } from '@tidings/coordination';
import { kafkaOptions } from '@tidings/service';
import { createTopics } from '@tidings/streaming';

const TIMEOUT_MS = 60_000;

const name = 'topics';

async function makeTopics(configuration: Configuration): Promise<void> {
  const log = openLog(configuration.logLevel).child({ service: name });
  const options = { ...kafkaOptions({ name, configuration, log }), topics: topics(channelNames()) };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const changes = await waitForDependency('kafka', () => createTopics(options), { log, signal });
  const { created, altered, longer, copies, otherCopies, fragile } = changes;
  if (longer.length > 0)
    log.warn({ topics: longer }, 'topics keep records longer than their retention; it is not shortened');
  if (otherCopies.length > 0)
    log.warn({ topics: otherCopies, copies }, 'topics have another number of copies than new ones; it is not changed');
  if (fragile.length > 0)
    log.warn({ topics: fragile }, 'topics take no records while a broker is away: min.insync.replicas is too high');
  log.info({ created, altered }, 'ready');
}

try {
  await makeTopics(readServiceEnv({ required: ['KAFKA_BROKERS'], peers: [] }));
} catch (error) {
  giveUp(`Tidings ${name}`, error);
}
