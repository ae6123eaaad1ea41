import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Fault, randomBase62 } from '@tidings/kernel';
import { canRunKafka, KAFKA_VERSION, type LocalKafka, startLocalKafka, startLocalKafkas } from '@tidings/local-servers';
import { addressFrom, dockerRuns, imageOf, sharedContainer } from './containers.ts';
import { describeWhere } from './describe-where.ts';
import { endWithJest, workerFolder } from './keeper.ts';

export interface TestKafka {
  readonly brokers: string;
  readonly namespace: string;
}

export interface OwnKafka extends TestKafka {
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

const IMAGES: Readonly<Record<string, string>> = {
  '3.9': 'confluentinc/cp-kafka:7.9.1',
  '4.1': 'confluentinc/cp-kafka:8.1.0',
};

const requestedVersion = (): string =>
  (globalThis as { readonly TIDINGS_KAFKA_VERSION?: string }).TIDINGS_KAFKA_VERSION ??
  process.env['KAFKA_VERSION'] ??
  KAFKA_VERSION;

const freshNamespace = (): string => `test-${randomBase62(10)}.`;

/** The one at `KAFKA_BROKERS`, else one per Jest worker, in Docker or on this machine. @throws Fault `unavailable` without one */
export async function startKafka({ version = requestedVersion() }: StartKafkaOptions = {}): Promise<TestKafka> {
  const brokers = await addressFrom({
    configured: process.env['KAFKA_BROKERS'],
    container: () => sharedContainer(`kafka-${version}`, () => startContainer(version)),
    program: async () => (await sharedServer(version)).brokers,
  });
  return { brokers, namespace: freshNamespace() };
}

/** Members are set from `beforeAll` on. Skips the suite without a Kafka; with `CI` set, it fails. */
export function describeWithKafka(name: string, suite: (kafka: TestKafka) => void): void {
  const canHave = process.env['KAFKA_BROKERS'] !== undefined || canRunKafka(requestedVersion()) || dockerRuns();
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

export function describeWithOwnKafka(
  name: string,
  suite: (kafka: OwnKafka) => void,
  { nodes: count = 1 }: OwnKafkaOptions = {},
): void {
  describeWhere(canRunKafka(requestedVersion()))(name, () => {
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
    // After the hooks of the suite, which close its connections first.
    afterAll(() => Promise.all((started ?? []).map((node) => node.stop())));
  });
}

function notYet(): never {
  throw Fault.bug('Kafka is there from beforeAll on');
}

async function ownNodes(count: number): Promise<LocalKafka[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-kafka-'));
  const nodes = await startLocalKafkas(folder, count, { version: requestedVersion() });
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

/** The first suite starts it; the others find it through its folder. */
async function sharedServer(version: string): Promise<LocalKafka> {
  const folder = workerFolder(`kafka-${version}`);
  const server = await startLocalKafka(folder, { version, outlivesKill: true });
  await endWithJest(server.pid, folder);
  return server;
}

async function startContainer(version: string): Promise<string> {
  const { KafkaContainer } = await import('@testcontainers/kafka');
  const container = await new KafkaContainer(imageOf('Kafka', IMAGES, version)).withKraft().start();
  return `${container.getHost()}:${container.getMappedPort(9093)}`;
}
