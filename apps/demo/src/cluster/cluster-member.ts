import { join } from 'node:path';
import { Fault } from '@tidings/kernel';
import { reachableHost, type ServiceName } from '@tidings/runtime';
import { type NodeProcess, startNode } from '../process/node-process.ts';
import { untilReady } from '../process/until-ready.ts';
import type { ServiceProgram } from './service-programs.ts';

export interface Ports {
  readonly grpc: number;
  readonly http: number;
  readonly mail: number;
  readonly events: number;
}

export interface MemberOptions {
  readonly program: ServiceProgram;
  readonly replica: number;
  readonly apps: string;
  readonly host: string;
  readonly ports: Ports;
  readonly env: Readonly<Record<string, string>>;
  readonly logFolder: string;
  /** @default true */
  readonly sourceMaps?: boolean | undefined;
}

/** Otherwise Node sizes the heap by the machine's memory, and collects late. */
const HEAP_MB = 384;

export class Member {
  readonly service: string;
  readonly replica: number;
  readonly ports: Ports;
  readonly #options: MemberOptions;
  #child: NodeProcess | undefined;
  #ending = false;
  #ownEnv: Readonly<Record<string, string>> = {};

  constructor(options: MemberOptions) {
    this.service = options.program.name;
    this.replica = options.replica;
    this.ports = options.ports;
    this.#options = options;
  }

  get name(): string {
    return `${this.service}-${this.replica}`;
  }

  /** Takes a channel of a dispatcher as well, as `dispatcher.apns`. */
  runs(service: string): boolean {
    const { services, env } = this.#options.program;
    const [name, channel] = service.split('.') as [ServiceName, string | undefined];
    if (service === this.service) return true;
    return services.includes(name) && (!channel || (env?.['TIDINGS_CHANNEL']?.split(',').includes(channel) ?? false));
  }

  get url(): string {
    return `http://${reachableHost(this.#options.host)}:${this.ports.http}`;
  }

  get grpcAddress(): string {
    return `${reachableHost(this.#options.host)}:${this.ports.grpc}`;
  }

  get mailPort(): number | undefined {
    const { program, env, ports } = this.#options;
    return program.services.includes('gateway') && env['MAIL_BOUNCE_DOMAIN'] ? ports.mail : undefined;
  }

  get eventsPort(): number | undefined {
    const { program, ports } = this.#options;
    return program.services.includes('webhooks') ? ports.events : undefined;
  }

  get logFile(): string {
    return join(this.#options.logFolder, `${this.name}.log`);
  }

  get pid(): number {
    return this.#running.pid;
  }

  get environment(): Readonly<Record<string, string>> {
    const { program, env, host, ports } = this.#options;
    return {
      ...env,
      ...program.env,
      ...this.#ownEnv,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --max-old-space-size=${HEAP_MB}`,
      HOST: host,
      GRPC_PORT: String(ports.grpc),
      PORT: String(ports.http),
      HEALTH_PORT: String(ports.http),
      ...(this.mailPort !== undefined && { SMTP_LISTEN_PORT: String(this.mailPort) }),
      ...(this.eventsPort !== undefined && { EVENTS_PORT: String(this.eventsPort) }),
    };
  }

  async start(ownEnv = this.#ownEnv): Promise<void> {
    this.#ownEnv = ownEnv;
    const { program, apps, sourceMaps } = this.#options;
    this.#ending = false;
    const { environment: env, logFile } = this;
    const child = await startNode({ entry: join(apps, program.entry), logFile, sourceMaps, env });
    this.#child = child;
    const reportExit = (how: number | NodeJS.Signals): void => {
      if (this.#ending) return;
      process.stderr.write(`${this.name} ended by itself (${how}); see ${this.logFile}\n${child.errors()}\n`);
    };
    void child.ended().then(reportExit, () => undefined);
  }

  async ready(timeoutMs: number): Promise<void> {
    const child = this.#running;
    await untilReady(this.url, child, timeoutMs);
    if (child.alive()) return;
    throw Fault.unavailable(`${this.name} ended (${await child.ended()}); see ${this.logFile}\n${child.errors()}`);
  }

  alive(): boolean {
    return this.#child?.alive() ?? false;
  }

  async kill(): Promise<void> {
    this.#ending = true;
    this.#child?.signal('SIGKILL');
    await this.#child?.ended();
  }

  async stop(): Promise<number | NodeJS.Signals | undefined> {
    if (!this.alive()) return undefined;
    this.#ending = true;
    this.#child!.signal('SIGTERM');
    return this.#child!.ended();
  }

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
