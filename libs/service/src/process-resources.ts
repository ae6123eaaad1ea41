import { waitForDependency } from '@tidings/coordination';
import { type Clock, ShiftedClock, systemClock } from '@tidings/kernel';
import { connectMongo } from '@tidings/mongo';
import { type Operations, servedByEveryProcess } from '@tidings/rpc';
import { openReplicas, type Replicas, type RpcAccess, RpcServer } from '@tidings/rpc/grpc';
import {
  Closing,
  type Logger,
  type MasterKeys,
  masterKeysOf,
  openMetrics,
  Readiness,
  type requiredByAll,
  type ServiceConfiguration,
  type ServiceName,
} from '@tidings/runtime';
import { type Broker, observed } from '@tidings/streaming';
import type { MongoClient } from 'mongodb';
import type { Registry } from 'prom-client';
import { connectKafka } from './connect-kafka.ts';

export type Common = (typeof requiredByAll)[number];

export interface ProcessResourcesOptions {
  readonly name: string;
  readonly configuration: ServiceConfiguration<Common>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Shared by the services of a process. Stores are connected on demand, and closed after everything else. */
export class ProcessResources {
  readonly name: string;
  readonly configuration: ServiceConfiguration<Common>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly readiness = new Readiness();
  readonly metrics: Registry;
  readonly closing: Closing;
  readonly masterKeys: MasterKeys;
  readonly rpcAccess: RpcAccess;
  readonly operations = new Map<string, Operations>();
  readonly signal: AbortSignal;
  readonly #stores: Closing;
  readonly #peers = new Map<ServiceName, Promise<Replicas>>();
  #rpcServer: RpcServer | undefined;
  #broker: Promise<Broker> | undefined;
  #mongo: Promise<MongoClient> | undefined;

  constructor({ name, configuration, log, signal }: ProcessResourcesOptions) {
    this.name = name;
    this.configuration = configuration;
    this.log = log;
    this.signal = signal;
    this.clock = configuration.testClock ? new ShiftedClock(configuration.testClock.aheadMs) : systemClock;
    this.closing = new Closing(log);
    this.#stores = this.closing.add('stores', new Closing(log), (stores) => stores.close());
    const { grpcTls, kafkaSecurity, masterKey, previousMasterKey } = configuration;
    const certificates = { grpc: grpcTls?.cert, kafka: kafkaSecurity.tls?.cert };
    this.metrics = openMetrics({ readiness: this.readiness, certificates });
    this.masterKeys = masterKeysOf(masterKey, previousMasterKey);
    this.rpcAccess = grpcTls ? { tls: grpcTls } : { masterKeys: this.masterKeys };
  }

  get rpcServer(): RpcServer {
    const { host, grpcPort: port } = this.configuration;
    const services = servedByEveryProcess.map(([, definition]) => definition);
    this.#rpcServer ??= new RpcServer({ host, port, services, access: this.rpcAccess, metrics: this.metrics });
    return this.#rpcServer;
  }

  /** Waits once: a probe would end all processes' readiness together in an outage. */
  broker(): Promise<Broker> {
    this.#broker ??= this.#reach('kafka', async () => observed(await connectKafka(this), this.metrics), {
      close: (broker) => broker.close(),
    });
    return this.#broker;
  }

  mongo(url: string): Promise<MongoClient> {
    this.#mongo ??= this.#reach('mongodb', () => connectMongo(url), {
      close: (client) => client.close(),
      probe: (client) => client.db('admin').command({ ping: 1 }),
    });
    return this.#mongo;
  }

  peer(peer: ServiceName, address: string): Promise<Replicas> {
    let replicas = this.#peers.get(peer);
    if (!replicas) {
      replicas = openReplicas(address, {
        access: this.rpcAccess,
        changed: (names) => this.log.info({ peer, replicas: names }, 'replicas'),
        metrics: this.metrics,
      }).then((opened) => this.#stores.add(`channels to ${peer}`, opened, (each) => each.close()));
      this.#peers.set(peer, replicas);
    }
    return replicas;
  }

  async #reach<T>(
    name: string,
    reach: () => Promise<T>,
    { close, probe }: { readonly close: (reached: T) => unknown; readonly probe?: (reached: T) => unknown },
  ): Promise<T> {
    const done = this.readiness.waitFor(name);
    const reached = await waitForDependency(name, reach, { log: this.log, signal: this.signal });
    this.#stores.add(name, reached, close);
    if (probe) this.readiness.probe(name, () => probe(reached));
    done();
    return reached;
  }
}
