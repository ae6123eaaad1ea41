import { expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import type { Channel } from '@tidings/kernel';
import type { Operations, ServiceDefinition } from '@tidings/rpc';
import { addressVariable, type BackendName, type ServiceName, readServiceEnv } from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import { testBroker } from './broker.ts';
import { describeWithMongo, startMongo, type TestMongo } from './mongo.ts';
import { leftOpen, openResources } from './open-resources.ts';
import { testLog } from './world.ts';

export type Reach = <Service extends object>(definition: ServiceDefinition) => Service;

export interface ServiceModuleOptions {
  readonly name: BackendName;
  readonly module: Type;
  /** They do not run here: starting does not require them. @default none */
  readonly peers?: readonly ServiceName[];
  readonly channel?: Channel;
  /** @default only its operations are called */
  readonly answers?: (reach: Reach) => Promise<void>;
}

/** On a real MongoDB and the embedded log in place of Kafka; nothing may stay open after the close. */
export function describeServiceModule(options: ServiceModuleOptions): void {
  describeWithMongo(`the module of ${options.name}`, (mongo) => {
    it('becomes ready, answers by gRPC, and closes with nothing left open', async () => {
      const opening = await loadAll();
      const before = openResources();
      const service = await start(options, mongo, opening);
      try {
        expect(await service.waitingFor()).toEqual({});
        const operations = service.reach<Operations>(opening.OperationsDefinition);
        while ((await operations.settled({})).open.length > 0);
        await options.answers?.(service.reach);
      } finally {
        await service.close();
      }
      expect(await service.waitingFor()).toEqual({ shutdown: 'under way' });
      expect([...service.subscriptions]).toEqual([]);
      expect(await leftOpen(before)).toEqual([]);
    });
  });
}

/** On demand: most suites do not use them. */
async function loadAll() {
  const [nest, rpc, grpc, service] = await Promise.all([
    import('@nestjs/testing'),
    import('@tidings/rpc'),
    import('@tidings/rpc/grpc'),
    import('@tidings/service'),
  ]);
  return { ...nest, ...rpc, ...grpc, ...service };
}

async function start(
  { name, module, peers = [], channel }: ServiceModuleOptions,
  mongo: Pick<TestMongo, 'url' | 'prefix'>,
  {
    Test,
    openReplicas,
    remote,
    ServiceProcess,
    processModule,
    rpcStrategy,
    serveCalls,
  }: Awaited<ReturnType<typeof loadAll>>,
) {
  const url = new URL(mongo.url);
  url.pathname = `/${mongo.prefix}`;
  const required = ['MONGO_URL', 'KAFKA_BROKERS', 'TIDINGS_MASTER_KEY'] as const;
  const configuration = readServiceEnv(
    { required, peers },
    {
      HOST: '127.0.0.1',
      GRPC_PORT: '0',
      MONGO_URL: url.href,
      KAFKA_BROKERS: '127.0.0.1:1',
      TIDINGS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      PUBLIC_URL: 'https://push.example',
      ...(channel && { TIDINGS_CHANNEL: channel }),
      ...Object.fromEntries(peers.map((peer) => [addressVariable(peer), '127.0.0.1:1'])),
    },
  );
  // Separate connections: the suite's own would be open before and after.
  const store = await startMongo();
  const opened = await testBroker({ db: store.db });
  const { broker, subscriptions } = withSubscriptions(opened);
  class ProcessOnEmbeddedLog extends ServiceProcess<(typeof required)[number], ServiceName> {
    override async broker(): Promise<Broker> {
      return broker;
    }
  }
  const stopping = new AbortController();
  const process = new ProcessOnEmbeddedLog({ name, configuration, log: testLog(), signal: stopping.signal });
  const { closing, readiness } = process;
  closing.add('store of the log', store, (connected) => connected.close());
  closing.add('broker', opened, (running) => running.close());
  const close = async (): Promise<void> => {
    readiness.stop();
    stopping.abort();
    await closing.close();
  };
  try {
    const compiled = await Test.createTestingModule({ imports: [processModule(process), module] }).compile();
    const app = compiled.createNestMicroservice({ strategy: rpcStrategy(process, name) });
    closing.add('requests', app, (running) => running.close());
    await app.listen();
    const calls = closing.add('calls', await serveCalls(process.resources), (opened) => opened.close());
    readiness.start();
    const replicas = await openReplicas(calls.address, { access: process.rpcAccess });
    closing.add('callers', replicas, (channels) => channels.close());
    return {
      reach: ((definition) => remote(definition, replicas)) as Reach,
      waitingFor: () => readiness.waitingFor(),
      subscriptions,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function withSubscriptions(broker: Broker) {
  const subscriptions = new Set<string>();
  const subscribe: Broker['subscribe'] = async (options) => {
    const subscription = await broker.subscribe(options);
    subscriptions.add(options.group);
    return {
      async stop() {
        await subscription.stop();
        subscriptions.delete(options.group);
      },
    };
  };
  const counted: Broker = {
    subscribe,
    publish: (topic, records) => broker.publish(topic, records),
    addTopic: (topic) => broker.addTopic(topic),
    lag: (group) => broker.lag(group),
    ends: (topic) => broker.ends(topic),
    groups: () => broker.groups(),
    seek: (group, topic, partition, offset) => broker.seek(group, topic, partition, offset),
    forget: (group) => broker.forget(group),
    close: () => broker.close(),
  };
  return { broker: counted, subscriptions };
}
