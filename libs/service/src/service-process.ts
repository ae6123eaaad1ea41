import { setTimeout as delay } from 'node:timers/promises';
import { waitForDependency } from '@tidings/coordination';
import { type Clock, Fault } from '@tidings/kernel';
import { connectionTo, databaseOf, databasePrefixOf, transientAsFault } from '@tidings/mongo';
import type { Operations } from '@tidings/rpc';
import { expectedMasterKeyId, type Replicas, type RpcAccess } from '@tidings/rpc/grpc';
import {
  type Closing,
  compareMasterKeys,
  type DeploymentKeys,
  giveUp,
  type IdentityKeys,
  identityFromReport,
  type ReportedKeys,
  type Logger,
  type MasterKeys,
  openKeys,
  type ServiceName,
  publicUrlOf,
  type Readiness,
  type RequiredVariable,
  type ServiceConfiguration,
  type ServiceDeps,
  systemDatabase,
} from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import type { Db } from 'mongodb';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import { type Common, ProcessResources } from './process-resources.ts';

/** The other service need not be available. */
const PEER_MS = 1_000;

export type ServiceDepsWithBroker = ServiceDeps & { readonly broker: Broker };

export interface RemoteIdentity {
  /** @throws Fault `unavailable` as long as they are unknown */
  keys(): IdentityKeys;
  readonly ready: Promise<void>;
}

export interface ServiceProcessOptions<Name extends RequiredVariable, P extends ServiceName> {
  readonly name: string;
  readonly configuration: ServiceConfiguration<Name | Common, P>;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** @default its own */
  readonly resources?: ProcessResources;
  /** @default that of the process */
  readonly closing?: Closing;
}

/** The process as one of its services sees it. */
export class ServiceProcess<Name extends RequiredVariable = never, P extends ServiceName = never> {
  readonly name: string;
  readonly configuration: ServiceConfiguration<Name | Common, P>;
  readonly log: Logger;
  readonly resources: ProcessResources;
  readonly closing: Closing;

  constructor({ resources, closing, ...options }: ServiceProcessOptions<Name, P>) {
    this.name = options.name;
    this.configuration = options.configuration;
    this.log = options.log;
    this.resources = resources ?? new ProcessResources(options);
    this.closing = closing ?? this.resources.closing;
  }

  get clock(): Clock {
    return this.resources.clock;
  }

  get readiness(): Readiness {
    return this.resources.readiness;
  }

  get metrics(): Registry {
    return this.resources.metrics;
  }

  get rpcAccess(): RpcAccess {
    return this.resources.rpcAccess;
  }

  get masterKeys(): MasterKeys {
    return this.resources.masterKeys;
  }

  publicUrl(): string {
    const url = publicUrlOf(this.configuration);
    if (this.configuration.publicUrl === undefined) this.log.warn({ url }, 'PUBLIC_URL is not set: links use this URL');
    return url;
  }

  broker(): Promise<Broker> {
    return this.resources.broker();
  }

  peer(peer: P): Promise<Replicas> {
    return this.resources.peer(peer, this.configuration.addresses[peer]);
  }

  async connection(this: ServiceProcess<Name | 'MONGO_URL', P>, database: string): Promise<Connection> {
    const { mongoUrl } = this.configuration;
    return connectionTo(databaseOf(await this.resources.mongo(mongoUrl), database, databasePrefixOf(mongoUrl)));
  }

  /** @throws Fault `argument` if a master key of the data is missing */
  async open<Service extends { readonly operations: Operations; close(): Promise<void> }>(
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
    this.resources.operations.set(this.name, service.operations);
    done();
    return service;
  }

  /** Ends the process if it lacks the keys' master key. */
  identityFrom(peer: P, fetchKeys: () => Promise<ReportedKeys>): RemoteIdentity {
    const { signal } = this.resources;
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
    const fetched = waitForDependency(peer, fetch, { log: this.log, signal }).then(done, (error: unknown) => {
      if (!signal.aborted) giveUp(`Tidings ${this.name}`, error);
    });
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
    return waitForDependency('mongodb', opened, { log: this.log, signal: this.resources.signal });
  }
}
