import { channelNames } from '@tidings/channels';
import { waitForDependency } from '@tidings/coordination';
import { topicNames, topics } from '@tidings/events';
import { publishAgain, publishedSince } from '@tidings/event-store';
import { tasksForOutcomes } from '@tidings/fanout';
import { Fault, systemClock } from '@tidings/kernel';
import { connectMongo, databasePrefixOf } from '@tidings/mongo';
import {
  backendNames,
  type Configuration,
  giveUp,
  type Logger,
  openLog,
  readServiceEnv,
  services,
} from '@tidings/runtime';
import { connectKafka, kafkaOptions } from '@tidings/service';
import { type Broker, createTopics, type OutRecord } from '@tidings/streaming';
import type { Db } from 'mongodb';

const TIMEOUT_MS = 60_000;
/** Consumers may have been so far behind when the topics were lost. */
const BEHIND_MS = 3_600_000;
const BATCH_SIZE = 1_000;

const name = 'restored';
const all = topics(channelNames());

/** Creates topics, and has published again what consumers may have missed. @throws Fault `conflict` if a topic has a record */
async function prepare(configuration: Configuration): Promise<void> {
  const log = openLog(configuration.logLevel).child({ service: name });
  const kafka = { name, configuration, log };
  const options = { ...kafkaOptions(kafka), topics: all };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  await waitForDependency('kafka', () => createTopics(options), { log, signal });
  // The scans take minutes where there are millions of commits.
  const client = await waitForDependency('mongodb', () => connectMongo(configuration.mongoUrl!, 0), { log, signal });
  try {
    const broker = await connectKafka({ ...kafka, clock: systemClock });
    try {
      await refuseRecords(broker);
      const prefix = databasePrefixOf(configuration.mongoUrl);
      const databases = new Set(backendNames.map((service) => services[service].database));
      await publishMissed(
        [...databases].map((database) => client.db(`${prefix}_${database}`)),
        client.db(`${prefix}_${services.registry.database}`),
        { broker, log },
      );
    } finally {
      await broker.close();
    }
  } finally {
    await client.close();
  }
}

async function refuseRecords(broker: Broker): Promise<void> {
  const ends = await Promise.all(
    all.map(async (topic) => ({ topic: topic.name, ends: await broker.ends(topic.name) })),
  );
  const found = ends.filter((each) => each.ends.some((end) => end > 0)).map(({ topic }) => topic);
  if (found.length === 0) return;
  throw Fault.conflict(`Topics hold records: ${found.join(', ')}. Stop the services and delete the topics first`);
}

/** The tasks come last: a run that fails before is repeated. */
async function publishMissed(
  databases: readonly Db[],
  registry: Db,
  { broker, log }: { readonly broker: Broker; readonly log: Logger },
): Promise<void> {
  const since = await publishedSince(databases, BEHIND_MS);
  if (!since) throw Fault.notFound('The databases hold no commits: restore them first');
  const logs = await Promise.all(databases.map((db) => publishAgain(db, since)));
  let tasks: OutRecord[] = [];
  let chunks = 0;
  for await (const task of tasksForOutcomes(registry, since)) {
    tasks.push(task);
    chunks++;
    if (tasks.length < BATCH_SIZE) continue;
    await broker.publish(topicNames.fanout, tasks);
    tasks = [];
  }
  await broker.publish(topicNames.fanout, tasks);
  log.info({ since, logs: logs.reduce((sum, count) => sum + count, 0), chunks }, 'ready');
}

try {
  await prepare(readServiceEnv({ required: ['KAFKA_BROKERS', 'MONGO_URL'], peers: [] }));
} catch (error) {
  giveUp(`Tidings ${name}`, error);
}
