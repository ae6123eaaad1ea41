import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster, Member } from '@tidings/demo';
import { Closing } from '@tidings/runtime';
import type { SimulatorOptions, Simulators } from '@tidings/simulators';
import { apps, buildAll } from './build.ts';
import { clusterForTests, type TestClusterOptions } from './cluster-for-tests.ts';
import { startKafka } from './kafka.ts';
import { databasesAt, startMongo } from './mongo.ts';
import { everythingOn } from './topic.ts';
import { checkDocuments, closeAfter } from './valid-documents.ts';
import {
  connect,
  freshFolder,
  loadSimulators,
  newAdminToken,
  removeFolder,
  testEnvironment,
  testLog,
  type World,
  worldOf,
} from './world.ts';

export interface ClusterWorldOptions extends TestClusterOptions {
  /** Overrides the variables of the test. */
  readonly env?: Readonly<Record<string, string>>;
  readonly simulators?: SimulatorOptions;
  /** From another world that outlives this one. @default its own */
  readonly providers?: Simulators;
  /** Stores that the suite may kill. @default false: shared by the suites of a Jest worker */
  readonly ownStores?: boolean;
  readonly kafkaBrokers?: string;
  readonly mongoUrl?: string;
  /** A MongoDB data folder to begin from, with new topics. @default none */
  readonly backup?: string;
  /** @default a new one */
  readonly masterKey?: Uint8Array;
  /** Called before any service has used the shared stores. */
  readonly fill?: (variables: Readonly<Record<string, string>>) => Promise<void>;
}

export interface ClusterWorld extends World {
  readonly cluster: Cluster;
  /** @default all members */
  restart(env: Readonly<Record<string, string>>, members?: readonly Member[]): Promise<void>;
  /** Ordered per process. */
  logged(): Promise<string>;
  stop(): Promise<void>;
}

/** Calls alternate between the gateways. */
export async function cluster({
  env = {},
  simulators: options,
  providers,
  backup,
  ownStores = backup !== undefined,
  kafkaBrokers,
  mongoUrl,
  masterKey,
  fill,
  ...processes
}: ClusterWorldOptions = {}): Promise<ClusterWorld> {
  const log = testLog();
  const closing = new Closing(log);
  try {
    const [{ startCluster }, stores, simulators, folder] = await Promise.all([
      import('@tidings/demo'),
      ownStores ? undefined : sharedStores(closing),
      providers ??
        loadSimulators(options).then((opened) => closing.add('simulators', opened, (running) => running.close())),
      freshFolder().then((made) => closing.add('folder', made, removeFolder)),
      buildAll(),
    ]);
    const admin = newAdminToken();
    if (backup !== undefined) await cp(backup, join(folder, 'mongo'), { recursive: true });
    if (stores) {
      const { mongoUrl: MONGO_URL, brokers: KAFKA_BROKERS, namespace: KAFKA_NAMESPACE } = stores;
      await fill?.({ MONGO_URL, KAFKA_BROKERS, KAFKA_NAMESPACE });
    }
    const running = await startCluster({
      apps,
      folder,
      log,
      adminToken: admin,
      masterKey,
      isRestored: backup !== undefined,
      env: { ...testEnvironment(simulators, admin), KAFKA_NAMESPACE: stores?.namespace ?? '', ...env },
      mongoUrl: stores?.mongoUrl ?? mongoUrl,
      kafkaBrokers: stores?.brokers ?? kafkaBrokers,
      ...clusterForTests(processes),
    });
    // No graceful shutdown, because the data is removed.
    closing.add('cluster', running, async (opened) => {
      await Promise.all(opened.members.map((member) => member.kill()));
      await opened.stop();
    });
    const { secrets, client } = await connect(running.urls, admin);
    closing.add('client', client, (idle) => idle.close());
    return {
      ...worldOf({
        urls: running.urls,
        mailPort: running.mailPort,
        eventsPort: running.eventsPort,
        dataFolder: folder,
        secrets,
        client,
        simulators,
        kafka: { brokers: running.kafkaBrokers, namespace: stores?.namespace ?? '' },
        recordsOn: (topic) => everythingOn(running, topic, stores?.namespace),
      }),
      cluster: running,
      async restart(further, members = running.members) {
        await Promise.all(members.map((member) => member.stop()));
        await running.start(members, further);
      },
      logged: async () => (await Promise.all(running.members.map(({ logFile }) => readFile(logFile, 'utf8')))).join(''),
      stop: () => closeAfter(checkDocuments(running.mongoUrl), closing),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function sharedStores(closing: Closing) {
  const [mongo, { brokers, namespace }] = await Promise.all([startMongo(), startKafka()]);
  closing.add('mongo', mongo, (server) => server.close());
  return { mongoUrl: databasesAt(mongo), brokers, namespace };
}
