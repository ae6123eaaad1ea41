import { setTimeout as delay } from 'node:timers/promises';
import { waitForDependency } from '@tidings/coordination';
import { type Clock, Fault, ShiftedClock, systemClock } from '@tidings/kernel';
import { connectionTo, connectMongo, databaseOf, databasePrefixOf, transientAsFault } from '@tidings/mongo';
import { expectedMasterKeyId, openReplicas, type Replicas, type RpcAccess } from '@tidings/rpc/grpc';
import {
  Closing,
  compareMasterKeys,
  type DeploymentKeys,
  giveUp,
  type IdentityKeys,
  identityFromReport,
  type ReportedKeys,
  type Logger,
  type MasterKeys,
  masterKeysOf,
  openKeys,
  openMetrics,
  type ServiceName,
  publicUrlOf,
  Readiness,
  type requiredByAll,
  type RequiredVariable,
  type ServiceConfiguration,
  type ServiceDeps,
  systemDatabase,
} from '@tidings/runtime';
import { type Broker, observed } from '@tidings/streaming';
import type { Db, MongoClient } from 'mongodb';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import { connectKafka } from './connect-kafka.ts';

/** The other service need not be available. */
const PEER_MS = 1_000;

export type ServiceDepsWithBroker = ServiceDeps & { readonly broker: Broker };

export interface RemoteIdentity {
  /** @throws Fault `unavailable` as long as they are unknown */
  keys(): IdentityKeys;
  readonly ready: Promise<void>;
}

export type Common = (typeof requiredByAll)[number];

export interface ServiceProcessOptions<Name extends RequiredVariable, P extends ServiceName> {
  readonly name: string;
  readonly configuration: ServiceConfiguration<Name | Common, P>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Closes parts in reverse order. */
export class ServiceProcess<Name extends RequiredVariable = never, P extends ServiceName = never> {
  readonly name: string;
  readonly configuration: ServiceConfiguration<Name | Common, P>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly readiness = new Readiness();
  readonly metrics: Registry;
  readonly closing: Closing;
  readonly rpcAccess: RpcAccess;
  readonly masterKeys: MasterKeys;
  readonly #signal: AbortSignal;
  readonly #peers = new Map<ServiceName, Promise<Replicas>>();
  #broker: Promise<Broker> | undefined;

  constructor({ name, configuration, log, signal }: ServiceProcessOptions<Name, P>) {
    this.name = name;
    this.configuration = configuration;
    this.log = log;
    this.clock = configuration.testClock ? new ShiftedClock(configuration.testClock.aheadMs) : systemClock;
    this.closing = new Closing(log);
    const { grpcTls, kafkaSecurity, masterKey, previousMasterKey } = configuration;
    const certificates = { grpc: grpcTls?.cert, kafka: kafkaSecurity.tls?.cert };
    this.metrics = openMetrics({ readiness: this.readiness, certificates });
    this.masterKeys = masterKeysOf(masterKey, previousMasterKey);
    this.rpcAccess = grpcTls ? { tls: grpcTls } : { masterKeys: this.masterKeys };
    this.#signal = signal;
  }

  publicUrl(): string {
    const url = publicUrlOf(this.configuration);
    if (this.configuration.publicUrl === undefined) this.log.warn({ url }, 'PUBLIC_URL is not set: links use this URL');
    return url;
  }

  /** Waits once: a probe would end all processes' readiness together in an outage. */
  broker(): Promise<Broker> {
    this.#broker ??= this.#reach('kafka', async () => observed(await connectKafka(this), this.metrics), {
      close: (broker) => broker.close(),
    });
    return this.#broker;
  }

  peer(peer: P): Promise<Replicas> {
    let replicas = this.#peers.get(peer);
    if (!replicas) {
      replicas = openReplicas(this.configuration.addresses[peer], {
        access: this.rpcAccess,
        changed: (names) => this.log.info({ peer, replicas: names }, 'replicas'),
        metrics: this.metrics,
      }).then((opened) => this.closing.add(`channels to ${peer}`, opened, (each) => each.close()));
      this.#peers.set(peer, replicas);
    }
    return replicas;
  }

  async connection(this: ServiceProcess<Name | 'MONGO_URL', P>, database: string): Promise<Connection> {
    const { mongoUrl } = this.configuration;
    return connectionTo(databaseOf(await this.#mongo(mongoUrl), database, databasePrefixOf(mongoUrl)));
  }

  /** @throws Fault `argument` if a master key of the data is missing */
  async open<Service extends { close(): Promise<void> }>(
    this: ServiceProcess<Name | 'MONGO_URL', P>,
    connection: Connection,
    opening: (deps: ServiceDepsWithBroker) => Promise<Service>,
  ): Promise<Service> {
    const { clock, log, metrics, configuration } = this;
    const system = systemDatabase(connection.getClient(), databasePrefixOf(configuration.mongoUrl));
    const keys = await this.#openKeys(system);
    const broker = await this.broker();
    const done = this.readiness.waitFor(this.name);
    const service = await opening({ clock, log, metrics, db: connection.db!, keys, broker });
    this.closing.add(this.name, service, (opened) => opened.close());
    done();
    return service;
  }

  /** Ends the process if it lacks the keys' master key. */
  identityFrom(peer: P, fetchKeys: () => Promise<ReportedKeys>): RemoteIdentity {
    const done = this.readiness.waitFor(peer);
    let identity: IdentityKeys | undefined;
    const fetch = async (): Promise<void> => {
      const reported = await fetchKeys().catch((error: unknown): ReportedKeys => {
        const id = expectedMasterKeyId(error);
        if (id === undefined) throw error;
        return { id, identities: [] };
      });
      identity = identityFromReport(this.masterKeys, reported);
      if (!identity) compareMasterKeys(this.masterKeys, reported.id);
    };
    const fetched = waitForDependency(peer, fetch, { log: this.log, signal: this.#signal }).then(
      done,
      (error: unknown) => {
        if (!this.#signal.aborted) giveUp(`Tidings ${this.name}`, error);
      },
    );
    return {
      keys() {
        if (identity) return identity;
        throw new Fault('unavailable', `The ${peer} is not available yet`, { effect: 'none' });
      },
      ready: Promise.race([fetched, delay(PEER_MS, undefined, { ref: false })]),
    };
  }

  #openKeys(system: Db): Promise<DeploymentKeys> {
    const opened = (): Promise<DeploymentKeys> => transientAsFault(() => openKeys(system, this.masterKeys));
    return waitForDependency('mongodb', opened, { log: this.log, signal: this.#signal });
  }

  #mongo(url: string): Promise<MongoClient> {
    return this.#reach('mongodb', () => connectMongo(url), {
      close: (client) => client.close(),
      probe: (client) => client.db('admin').command({ ping: 1 }),
    });
  }

  async #reach<T>(
    name: string,
    reach: () => Promise<T>,
    { close, probe }: { readonly close: (reached: T) => unknown; readonly probe?: (reached: T) => unknown },
  ): Promise<T> {
    const done = this.readiness.waitFor(name);
    const reached = await waitForDependency(name, reach, { log: this.log, signal: this.#signal });
    this.closing.add(name, reached, close);
    if (probe) this.readiness.probe(name, () => probe(reached));
    done();
    return reached;
  }
}
