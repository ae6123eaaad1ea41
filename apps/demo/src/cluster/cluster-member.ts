import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { Fault } from '@tidings/kernel';
import { type NodeProcess, startNode } from '../process/node-process.ts';
import { untilReady } from '../process/until-ready.ts';
import type { ServiceProgram } from './service-programs.ts';

/** The ports of a process. */
export interface Ports {
  readonly grpc: number;
  /** Health and metrics, and the API in a gateway. */
  readonly http: number;
  /** Incoming mail of a gateway, or event streams that subscribers dial, of a webhooks process. */
  readonly further: number;
}

export interface MemberOptions {
  readonly program: ServiceProgram;
  /** Index among the processes of the same service, from 0. */
  readonly replica: number;
  /** The folder of the built services. */
  readonly apps: string;
  /** The name or address that it listens on. */
  readonly host: string;
  readonly ports: Ports;
  readonly env: Readonly<Record<string, string>>;
  readonly logFolder: string;
  /** @default true */
  readonly sourceMaps?: boolean | undefined;
}

/** Heap limit, as a container would set it: without a limit Node sizes the heap by the machine's memory and collects garbage late. */
const HEAP_MB = 384;

/** The host by which this machine reaches a process that listens on `host`, as URLs have it. */
export function reachedAt(host: string): string {
  // A process on all addresses is on the loopback address, too.
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return isIPv6(host) ? `[${host}]` : host;
}

/** One process of the distributed mode, on fixed ports. */
export class Member {
  readonly service: string;
  readonly replica: number;
  readonly ports: Ports;
  readonly #options: MemberOptions;
  #child: NodeProcess | undefined;
  /** Whether it was asked to end: any other exit is reported. */
  #ending = false;
  /** Variables of this process alone; they override the variables of the cluster. */
  #ownEnv: Readonly<Record<string, string>> = {};

  constructor(options: MemberOptions) {
    this.service = options.program.name;
    this.replica = options.replica;
    this.ports = options.ports;
    this.#options = options;
  }

  /** e.g. `registry-0`. */
  get name(): string {
    return `${this.service}-${this.replica}`;
  }

  /** Base URL of its health endpoints and, for a gateway, of the API. */
  get url(): string {
    return `http://${reachedAt(this.#options.host)}:${this.ports.http}`;
  }

  /** The address at which other services call it. */
  get grpcAddress(): string {
    return `${reachedAt(this.#options.host)}:${this.ports.grpc}`;
  }

  /** The port on which a gateway takes incoming mail; undefined = none. */
  get mailPort(): number | undefined {
    const { program, env, ports } = this.#options;
    return program.peer === 'gateway' && env['MAIL_BOUNCE_DOMAIN'] ? ports.further : undefined;
  }

  /** The port on which subscribers dial in to a webhooks process; undefined = none. */
  get eventsPort(): number | undefined {
    const { program, ports } = this.#options;
    return program.peer === 'webhooks' ? ports.further : undefined;
  }

  get logFile(): string {
    return join(this.#options.logFolder, `${this.name}.log`);
  }

  /** @throws Fault `bug` if it is not running. */
  get pid(): number {
    return this.#running.pid;
  }

  /** The variables that the member is started with, in addition to the environment of this process. */
  get environment(): Readonly<Record<string, string>> {
    const { program, env, host, ports } = this.#options;
    return {
      ...env,
      ...program.env,
      ...this.#ownEnv,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --max-old-space-size=${HEAP_MB}`,
      HOST: host,
      GRPC_PORT: String(ports.grpc),
      // Only the gateway serves an HTTP API; its health endpoints share the port.
      PORT: String(ports.http),
      HEALTH_PORT: String(ports.http),
      ...(this.mailPort !== undefined && { SMTP_LISTEN_PORT: String(this.mailPort) }),
      ...(this.eventsPort !== undefined && { EVENTS_PORT: String(this.eventsPort) }),
    };
  }

  /**
   * Starts the process with these additional variables, now and at later starts, and does not wait until it is ready. A later unexpected exit is
   * reported on standard error.
   */
  async start(ownEnv = this.#ownEnv): Promise<void> {
    this.#ownEnv = ownEnv;
    const { program, apps, sourceMaps } = this.#options;
    this.#ending = false;
    const { environment: env, logFile } = this;
    const child = await startNode({ entry: join(apps, program.entry), logFile, sourceMaps, env });
    this.#child = child;
    const tell = (how: number | NodeJS.Signals): void => {
      if (this.#ending) return;
      process.stderr.write(`${this.name} ended by itself (${how}); see ${this.logFile}\n${child.errors()}\n`);
    };
    // A failure to watch the child surfaces in its starter.
    void child.ended().then(tell, () => undefined);
  }

  /** @throws Fault `unavailable` if it has ended, or is not ready in time. */
  async ready(timeoutMs: number): Promise<void> {
    const child = this.#running;
    await untilReady(this.url, child, timeoutMs);
    if (child.alive()) return;
    throw Fault.unavailable(`${this.name} ended (${await child.ended()}); see ${this.logFile}\n${child.errors()}`);
  }

  alive(): boolean {
    return this.#child?.alive() ?? false;
  }

  /** Kills the process, as a crash would. */
  async kill(): Promise<void> {
    this.#ending = true;
    // SIGKILL also ends a stopped process.
    this.#child?.signal('SIGKILL');
    await this.#child?.ended();
  }

  /** Asks the process to end and resolves with its exit code. */
  async stop(): Promise<number | NodeJS.Signals | undefined> {
    if (!this.alive()) return undefined;
    this.#ending = true;
    this.#child!.signal('SIGTERM');
    return this.#child!.ended();
  }

  /** Stops the process with SIGSTOP, until {@link thaw}. */
  freeze(): void {
    this.#running.signal('SIGSTOP');
  }

  thaw(): void {
    this.#running.signal('SIGCONT');
  }

  get #running(): NodeProcess {
    if (!this.#child) throw Fault.bug(`${this.name} was not started`);
    return this.#child;
  }
}
