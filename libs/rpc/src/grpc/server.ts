import { Server, type ServerInterceptor } from '@grpc/grpc-js';
import { ServerGrpc } from '@nestjs/microservices';
import type { Registry } from 'prom-client';
import type { ServiceDefinition } from '../binding.ts';
import { type RpcAccess, serverAccess, type ServerAccess } from './rpc-access.ts';
import { observingCalls } from './calls.ts';
import { serverOptions } from './channel-options.ts';
import { packageDefinition, packagesOf } from './codecs.ts';

/** Calls end within their callers' deadlines; what is left then is cut off, so that a shutdown stays below 25 s. */
const DRAIN_MS = 12_000;

export interface RpcServerOptions {
  readonly host: string;
  /** 0 = a free one. */
  readonly port: number;
  /** What is served on the port; each needs its {@link rpcControllers}. */
  readonly services: readonly ServiceDefinition[];
  /** Whose calls are answered. */
  readonly access: RpcAccess;
  /** How long calls that are under way may take to end. @default 12000 */
  readonly drainMs?: number;
  /** Where calls are counted. */
  readonly metrics?: Registry;
}

/**
 * The strategy of a Nest microservice that serves several services by gRPC on one port: `createMicroservice(module, { strategy:
 * new RpcServer(…) })`. Calls that do not come from a process of the same deployment are refused. To close it is to refuse new calls in a way that callers repeat elsewhere, and to answer those under way.
 */
export class RpcServer extends ServerGrpc {
  readonly #host: string;
  readonly #drainMs: number;
  readonly #observer: ServerInterceptor;
  readonly #access: ServerAccess;
  #port: number;
  #server: Server | undefined;

  constructor({ host, port, services, access, drainMs = DRAIN_MS, metrics }: RpcServerOptions) {
    super({
      package: packagesOf(services),
      packageDefinition: packageDefinition(services),
      gracefulShutdown: true,
    });
    this.#host = host.includes(':') ? `[${host}]` : host;
    this.#port = port;
    this.#drainMs = drainMs;
    this.#observer = observingCalls(metrics);
    this.#access = serverAccess(access);
  }

  /** `host:port` that it listens on. */
  get address(): string {
    return `${this.#host}:${this.#port}`;
  }

  override async createClient(): Promise<Server> {
    const { credentials, interceptors } = this.#access;
    // The first one is the outermost: what is refused is counted, too.
    const server = new Server({ ...serverOptions, interceptors: [this.#observer, ...interceptors] });
    this.#port = await new Promise((resolve, reject) => {
      server.bindAsync(this.address, credentials, (error, port) => (error ? reject(error) : resolve(port)));
    });
    this.#server = server;
    return server;
  }

  override async close(): Promise<void> {
    // Cuts off what is left after that time. `forceShutdown` would not find the connections: it knows those of channelz alone.
    this.#server?.drain(this.address, this.#drainMs);
    await super.close();
  }
}
