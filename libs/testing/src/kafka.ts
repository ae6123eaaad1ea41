import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Fault, randomBase62 } from '@tidings/kernel';
import { canRunKafka, KAFKA_VERSION, type LocalKafka, startLocalKafka, startLocalKafkas } from '@tidings/local-servers';
import { addressFrom, dockerRuns, imageOf, sharedContainer } from './containers.ts';
import { describeWhere } from './describe-where.ts';
import { endWithJest, workerFolder } from './keeper.ts';

/** A real Kafka with topic and group names unique to the suite. */
export interface TestKafka {
  /** Its address for `openKafkaBroker`. */
  readonly brokers: string;
  /** Namespace of this suite for `openKafkaBroker` and `createTopics`. */
  readonly namespace: string;
}

/** A Kafka for this suite alone, which it may kill and restart. */
export interface OwnKafka extends TestKafka {
  /** The only node, or the first one. */
  readonly server: LocalKafka;
  readonly nodes: readonly LocalKafka[];
}

export interface OwnKafkaOptions {
  /** @default 1 */
  readonly nodes?: number;
}

export interface StartKafkaOptions {
  /** @default that of the Jest project, else `KAFKA_VERSION`, else the release of the repository */
  readonly version?: string | undefined;
}

/** Images by Kafka version. */
const IMAGES: Readonly<Record<string, string>> = {
  '3.9': 'confluentinc/cp-kafka:7.9.1',
  '4.1': 'confluentinc/cp-kafka:8.1.0',
};

/** The Kafka release of the Jest project, if it has one (`jest.config.mjs`); else that of the environment, else that of the repository. */
const wantedVersion = (): string =>
  (globalThis as { readonly TIDINGS_KAFKA_VERSION?: string }).TIDINGS_KAFKA_VERSION ??
  process.env['KAFKA_VERSION'] ??
  KAFKA_VERSION;

const freshNamespace = (): string => `test-${randomBase62(10)}.`;

/**
 * A Kafka for a suite: the one at `KAFKA_BROKERS`, else one that all suites of a Jest worker share and that ends with Jest, in Docker if it runs,
 * otherwise on this machine.
 * @throws Fault `unavailable` if there is none.
 */
export async function startKafka({ version = wantedVersion() }: StartKafkaOptions = {}): Promise<TestKafka> {
  const brokers = await addressFrom({
    given: process.env['KAFKA_BROKERS'],
    container: () => sharedContainer(`kafka-${version}`, () => startContainer(version)),
    program: async () => (await sharedServer(version)).brokers,
  });
  return { brokers, namespace: freshNamespace() };
}

/**
 * `describe` with a Kafka, whose members are set from `beforeAll` on. Without a Kafka the suite is skipped, which the tally shows; with `CI` set it
 * fails.
 */
export function describeWithKafka(name: string, suite: (kafka: TestKafka) => void): void {
  const canHave = process.env['KAFKA_BROKERS'] !== undefined || canRunKafka(wantedVersion()) || dockerRuns();
  describeWhere(canHave)(name, () => {
    let started: TestKafka | undefined;
    beforeAll(async () => void (started = await startKafka()));
    const kafka = (): TestKafka => started ?? notYet();
    suite({
      get brokers() {
        return kafka().brokers;
      },
      get namespace() {
        return kafka().namespace;
      },
    });
  });
}

/** The same with nodes on this machine for this suite alone. */
export function describeWithOwnKafka(
  name: string,
  suite: (kafka: OwnKafka) => void,
  { nodes: count = 1 }: OwnKafkaOptions = {},
): void {
  describeWhere(canRunKafka(wantedVersion()))(name, () => {
    let started: readonly LocalKafka[] | undefined;
    beforeAll(async () => void (started = await ownNodes(count)));
    const namespace = freshNamespace();
    const nodes = (): readonly LocalKafka[] => started ?? notYet();
    suite({
      namespace,
      get server() {
        return nodes()[0]!;
      },
      get nodes() {
        return nodes();
      },
      get brokers() {
        return nodes()
          .map(({ brokers }) => brokers)
          .join();
      },
    });
    // Registered after the hooks of the suite, which close its connections first.
    afterAll(() => Promise.all((started ?? []).map((node) => node.stop())));
  });
}

function notYet(): never {
  throw Fault.bug('Kafka is there from beforeAll on');
}

async function ownNodes(count: number): Promise<LocalKafka[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-kafka-'));
  const nodes = await startLocalKafkas(folder, count, { version: wantedVersion() });
  return Promise.all(nodes.map((node) => endedWithJest(node, folder)));
}

async function endedWithJest(node: LocalKafka, folder: string): Promise<LocalKafka> {
  await endWithJest(node.pid, folder);
  return {
    async restart() {
      await node.restart();
      await endWithJest(node.pid, folder);
    },
    brokers: node.brokers,
    securedBrokers: node.securedBrokers,
    get pid() {
      return node.pid;
    },
    stop: () => node.stop(),
    kill: () => node.kill(),
  };
}

/** The server of this Jest worker: its first suite starts it, and the others find it through its folder. */
async function sharedServer(version: string): Promise<LocalKafka> {
  const folder = workerFolder(`kafka-${version}`);
  const server = await startLocalKafka(folder, { version, outlivesKill: true });
  await endWithJest(server.pid, folder);
  return server;
}

/** Starts a Kafka in a container. */
async function startContainer(version: string): Promise<string> {
  const { KafkaContainer } = await import('@testcontainers/kafka');
  const container = await new KafkaContainer(imageOf('Kafka', IMAGES, version)).withKraft().start();
  return `${container.getHost()}:${container.getMappedPort(9093)}`;
}
