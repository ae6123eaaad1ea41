import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@tidings/kernel';
import { type LocalKafka, startLocalKafka, startMongod } from '@tidings/local-servers';
import { connectMongo, databasePrefixOf } from '@tidings/mongo';
import { type Closing, type Logger, type MasterKeys, openMasterKey, openWith, systemDatabase } from '@tidings/runtime';
import { startNode } from '../process/node-process.ts';
import type { Member } from './cluster-member.ts';
import { layOut, type LayoutOptions } from './layout.ts';
import { RESTORED, TOPICS } from './service-programs.ts';

const START_TIMEOUT_MS = 120_000;

export interface ClusterOptions extends LayoutOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly adminToken: string;
  readonly masterKey?: Uint8Array | undefined;
  readonly previousMasterKey?: Uint8Array | undefined;
  readonly mongoUrl?: string | undefined;
  readonly kafkaBrokers?: string | undefined;
  readonly log: Logger;
  /** The topics are new. @default false */
  readonly isRestored?: boolean;
}

export interface Cluster {
  readonly url: string;
  readonly urls: readonly string[];
  readonly mailPort: number | undefined;
  readonly eventsPort: number | undefined;
  readonly members: readonly Member[];
  of(service: string): readonly Member[];
  readonly mongoUrl: string;
  readonly kafkaBrokers: string;
  readonly mongod: { readonly pid: () => number; restart(): Promise<void> } | undefined;
  readonly kafka: LocalKafka | undefined;
  /** The variables also apply to later starts. */
  start(members: readonly Member[], env?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

export const startCluster = (options: ClusterOptions): Promise<Cluster> =>
  openWith(options.log, (closing) => start(options, closing));

async function masterKeysFor(options: ClusterOptions, mongoUrl: string): Promise<MasterKeys> {
  const { folder, masterKey: configured, previousMasterKey: previous } = options;
  const client = await connectMongo(mongoUrl);
  try {
    const system = systemDatabase(client, databasePrefixOf(mongoUrl));
    return (await openMasterKey({ folder, configured, previous, system })).master;
  } finally {
    await client.close();
  }
}

async function start(options: ClusterOptions, closing: Closing): Promise<Cluster> {
  const { apps, folder, adminToken, isRestored = false } = options;
  const logFolder = join(folder, 'logs');
  await mkdir(logFolder, { recursive: true });
  const [database, kafka] = await Promise.all([
    options.mongoUrl === undefined
      ? closing.addOpening('mongod', startDatabase(join(folder, 'mongo')), (server) => server.stop())
      : undefined,
    options.kafkaBrokers === undefined
      ? closing.addOpening('kafka', startLocalKafka(join(folder, 'kafka')), (server) => server.stop())
      : undefined,
  ]);
  const mongoUrl = options.mongoUrl ?? database!.url;
  const [masterKey, previous] = await masterKeysFor(options, mongoUrl);
  const stores = { MONGO_URL: mongoUrl, KAFKA_BROKERS: options.kafkaBrokers ?? kafka!.brokers };
  await makeTopics(
    join(apps, isRestored ? RESTORED : TOPICS),
    { ...options.env, ...stores },
    join(logFolder, 'topics.log'),
  );

  const members = await layOut(options, {
    ...options.env,
    ...stores,
    TIDINGS_ADMIN_TOKEN: adminToken,
    TIDINGS_MASTER_KEY: Buffer.from(masterKey).toString('base64'),
    ...(previous && { TIDINGS_MASTER_KEY_PREVIOUS: Buffer.from(previous).toString('base64') }),
    TIDINGS_DATA: folder,
  });
  const ordered = [members.filter((member) => !isGateway(member)), members.filter(isGateway)];
  for (const group of ordered) {
    closing.add(group.map(({ name }) => name).join(', '), group, async (all) => {
      await Promise.all(all.map((member) => member.stop()));
    });
  }
  const startAll: Cluster['start'] = async (subset, env) => {
    const missing = subset.filter((member) => !member.alive());
    await Promise.all(missing.map((member) => member.start(env)));
    await Promise.all(missing.map((member) => member.ready(START_TIMEOUT_MS)));
  };
  await startAll(members);
  const gateways = members.filter(isGateway);
  const urls = gateways.map(({ url }) => url);
  return {
    url: urls[0]!,
    mailPort: gateways[0]!.mailPort,
    eventsPort: members.find((member) => member.runs('webhooks'))?.eventsPort,
    urls,
    members,
    of(service) {
      const found = members.filter((member) => member.runs(service));
      if (found.length === 0) throw Fault.bug(`there is no service ${service}`);
      return found;
    },
    mongoUrl,
    kafkaBrokers: stores.KAFKA_BROKERS,
    mongod: database,
    kafka,
    start: startAll,
    stop: () => closing.close(),
  };
}

const isGateway = (member: Member): boolean => member.runs('gateway');

async function startDatabase(folder: string) {
  let current = await startMongod(folder);
  return {
    url: current.url,
    pid: () => current.pid,
    async restart() {
      current = await startMongod(folder);
    },
    stop: () => current.stop(),
  };
}

async function makeTopics(entry: string, env: Readonly<Record<string, string>>, logFile: string): Promise<void> {
  const step = await startNode({ entry, env, logFile });
  const code = await step.ended();
  if (code !== 0) throw Fault.unavailable(`the topics could not be created (${code}):\n${step.errors()}`);
}
