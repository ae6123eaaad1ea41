import { join } from 'node:path';
import { channelNames } from '@tidings/channels';
import { topics } from '@tidings/events';
import { systemClock } from '@tidings/kernel';
import { openMongo } from '@tidings/local-servers';
import { databaseOf, databasePrefixOf, tryReplicaSet } from '@tidings/mongo';
import { Closing, type Configuration, giveUp, type Logger, openDataFolder, openLog, readEnv } from '@tidings/runtime';
import { untilThere } from '@tidings/coordination';
import { connectKafka } from '@tidings/service';
import { type Broker, openEmbeddedBroker, redrive } from '@tidings/streaming';

/** Time limit of connecting to Kafka. */
const PATIENCE_MS = 60_000;

const name = 'redrive';

/** Kafka if `KAFKA_BROKERS` is set, else the embedded log, which no other process may have open. */
async function openBroker(configuration: Configuration, log: Logger, closing: Closing): Promise<Broker> {
  const clock = systemClock;
  if (configuration.kafkaBrokers.length > 0) {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return untilThere('kafka', () => connectKafka({ name, configuration, log, clock }), { log, signal });
  }
  if (configuration.mongoUrl !== undefined) await tryReplicaSet(configuration.mongoUrl);
  const folder = await openDataFolder(configuration.dataFolder);
  const mongo = await openMongo(configuration.mongoUrl, join(folder, 'mongo'), log);
  closing.add('mongodb', mongo, (server) => server.close());
  return openEmbeddedBroker({
    db: databaseOf(mongo.client, 'log', databasePrefixOf(configuration.mongoUrl)),
    clock,
    topics: topics(channelNames()),
    owner: name,
    warn: (text, cause) => log.warn({ err: cause }, text),
  });
}

/** Publishes dead letters to their original topics once; safe to repeat at any time. */
async function redriveAll(configuration: Configuration): Promise<void> {
  const log = openLog(configuration.logLevel).child({ service: name });
  const closing = new Closing(log);
  try {
    const broker = closing.add('log', await openBroker(configuration, log, closing), (opened) => opened.close());
    let stuck = 0;
    const records = await redrive(broker, {
      stuck({ topic, partition, offset, key, cut }, why) {
        stuck++;
        log.warn({ topic, partition, offset, key, ...cut, why }, 'cannot be redriven, and stays a dead letter');
      },
    });
    log.info({ records, stuck }, 'redriven');
  } finally {
    await closing.close();
  }
}

try {
  await redriveAll(readEnv());
} catch (error) {
  giveUp(`Tidings ${name}`, error);
}
