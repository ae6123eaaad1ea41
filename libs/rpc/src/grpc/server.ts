import { Server, type ServerInterceptor } from '@grpc/grpc-js';
import { ServerGrpc } from '@nestjs/microservices';
import type { Registry } from 'prom-client';
import type { ServiceDefinition } from '../binding.ts';
import { type RpcAccess, serverAccess, type ServerAccess } from './rpc-access.ts';
import { observingCalls } from './calls.ts';
import { serverOptions } from './channel-options.ts';
import { packageDefinition, packagesOf } from './codecs.ts';

/** Beyond callers' deadlines, and within a shutdown of 25 s. */
const DRAIN_MS = 12_000;

export interface RpcServerOptions {
  readonly host: string;
  readonly port: number;
  readonly services: readonly ServiceDefinition[];
  readonly access: RpcAccess;
  /** @default 12000 */
  readonly drainMs?: number;
  readonly metrics?: Registry;
}

const optionsFor = (services: readonly ServiceDefinition[]) => ({
  package: packagesOf(services),
  packageDefinition: packageDefinition(services),
  gracefulShutdown: true,
  // Nest loads this package for definitions in files only. Its default takes 40 ms of CPU time.
  protoLoader: '@grpc/grpc-js',
});

/** Closing refuses new calls, which callers retry elsewhere. */
export class RpcServer extends ServerGrpc {
  readonly #host: string;
  readonly #drainMs: number;
  readonly #observer: ServerInterceptor;
  readonly #access: ServerAccess;
  #port: number;
  #server: Server | undefined;

  constructor({ host, port, services, access, drainMs = DRAIN_MS, metrics }: RpcServerOptions) {
    super(optionsFor(services));
    this.#host = host.includes(':') ? `[${host}]` : host;
    this.#port = port;
    this.#drainMs = drainMs;
    this.#observer = observingCalls(metrics);
    this.#access = serverAccess(access);
  }

  get address(): string {
    return `${this.#host}:${this.#port}`;
  }

  /** The strategy of another Nest application on this port, which has to listen before this server does. */
  sharedWith(services: readonly ServiceDefinition[]): ServerGrpc {
    return new SharedRpcServer(this.#unbound(), services);
  }

  override async createClient(): Promise<Server> {
    const server = this.#unbound();
    this.#port = await new Promise((resolve, reject) => {
      server.bindAsync(this.address, this.#access.credentials, (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
    return server;
  }

  override async close(): Promise<void> {
    // Aborts the others afterwards; `forceShutdown` knows only the connections of channelz.
    this.#server?.drain(this.address, this.#drainMs);
    await super.close();
  }

  #unbound(): Server {
    // The first one is the outermost: refused calls are counted, too.
    const interceptors = [this.#observer, ...this.#access.interceptors];
    this.#server ??= new Server({ ...serverOptions, interceptors });
    return this.#server;
  }
}

class SharedRpcServer extends ServerGrpc {
  readonly #server: Server;

  constructor(server: Server, services: readonly ServiceDefinition[]) {
    super(optionsFor(services));
    this.#server = server;
  }

  override async createClient(): Promise<Server> {
    return this.#server;
  }

  /** Its calls end with the server. */
  override async close(): Promise<void> {}
}
