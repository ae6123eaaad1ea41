import { readFile } from 'node:fs/promises';
import type { Cluster, Member } from '@tidings/platform';
import { Closing } from '@tidings/runtime';
import type { SimulatorOptions } from '@tidings/simulators';
import { apps, buildAll } from './build.ts';
import { clusterForTests } from './cluster-for-tests.ts';
import { startKafka } from './kafka.ts';
import { databasesAt, startMongo } from './mongo.ts';
import { checkDocuments } from './valid-documents.ts';
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

export interface ClusterWorldOptions {
  /** Further environment variables of every process, which win over those of the test. */
  readonly env?: Readonly<Record<string, string>>;
  readonly simulators?: SimulatorOptions;
  /** Kafka and MongoDB of its own, to be killed and started again. @default false: those that the suites of a Jest worker share */
  readonly ownStores?: boolean;
}

/** The distributed form, every process of it within reach. */
export interface ClusterWorld extends World {
  readonly cluster: Cluster;
  /** Ends every process of these and starts it again with further variables; the others go on. @default all members */
  restart(env: Readonly<Record<string, string>>, members?: readonly Member[]): Promise<void>;
  /** All lines of all processes so far, in the order of each. */
  logged(): Promise<string>;
  /** Stops everything and leaves nothing behind. */
  stop(): Promise<void>;
}

/**
 * Every service as a process of its own, as they are built, two of most, on real Kafka and MongoDB, with providers in this process. Calls
 * take turns between the gateways.
 */
export async function cluster({
  env = {},
  simulators: options,
  ownStores = false,
}: ClusterWorldOptions = {}): Promise<ClusterWorld> {
  const log = testLog();
  const closing = new Closing(log);
  try {
    const [{ startCluster }, stores, simulators, folder] = await Promise.all([
      import('@tidings/platform'),
      ownStores ? undefined : sharedStores(closing),
      loadSimulators(options).then((opened) => closing.add('simulators', opened, (running) => running.close())),
      freshFolder().then((made) => closing.add('folder', made, removeFolder)),
      buildAll(),
    ]);
    const admin = newAdminToken();
    const running = await startCluster({
      ...{ apps, folder, log, adminToken: admin },
      env: { ...testEnvironment(simulators, admin), KAFKA_NAMESPACE: stores?.namespace ?? '', ...env },
      mongoUrl: stores?.mongoUrl,
      kafkaBrokers: stores?.brokers,
      ...clusterForTests,
    });
    closing.add('cluster', running, (opened) => opened.stop());
    const { secrets, client } = await connect(running.urls, admin);
    closing.add('client', client, (idle) => idle.close());
    return {
      ...worldOf({ urls: running.urls, dataFolder: folder, secrets, client, simulators }),
      cluster: running,
      async restart(further, members = running.members) {
        await Promise.all(members.map((member) => member.stop()));
        await running.start(members, further);
      },
      logged: async () => (await Promise.all(running.members.map(({ logFile }) => readFile(logFile, 'utf8')))).join(''),
      // Stores of its own are stopped and killed, and need not answer.
      stop: () => (ownStores ? Promise.resolve() : checkDocuments(running.mongoUrl)).finally(() => closing.close()),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/** Databases and topics of its own on the servers that all suites of a worker share. */
async function sharedStores(closing: Closing) {
  const [mongo, { brokers, namespace }] = await Promise.all([startMongo(), startKafka()]);
  closing.add('mongo', mongo, (server) => server.close());
  return { mongoUrl: databasesAt(mongo), brokers, namespace };
}
