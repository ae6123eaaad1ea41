import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitWithParent, isAlive, isProcessOf, killNow } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import { freePorts } from '@tidings/runtime';
import { KAFKA_VERSION, kafkaJars } from './kafka-jars.ts';
import { readNote, writeNote } from './server-note.ts';

export interface LocalKafka {
  readonly brokers: string;
  readonly securedBrokers: string | undefined;
  readonly pid: number;
  stop(): Promise<void>;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export interface LocalKafkaOptions {
  /** @default {@link KAFKA_VERSION} */
  readonly version?: string;
  /** @default none */
  readonly security?: LocalKafkaSecurity | undefined;
  /** @default false */
  readonly outlivesKill?: boolean;
}

export interface LocalKafkaSecurity {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  readonly username: string;
  readonly password: string;
}

interface Note {
  readonly pid: number;
  readonly parent?: number;
  readonly port: number;
  readonly controllerPort: number;
  readonly securedPort: number;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
const CHECK_INTERVAL_MS = 20;
const JVM = [
  '-Xmx512m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];

/** Adopts a server that runs on the folder. @throws Fault `conflict` if another live process has it */
export async function startLocalKafka(
  folder: string,
  { version = KAFKA_VERSION, security, outlivesKill = false }: LocalKafkaOptions = {},
): Promise<LocalKafka> {
  await mkdir(folder, { recursive: true });
  const known = await readNote(join(folder, NOTE), ['pid', 'port', 'controllerPort', 'securedPort']);
  const running: Note | undefined = known && isProcessOf(known.pid, folder) ? known : undefined;
  if (!outlivesKill) {
    if (running) refuseServerOfAnother(running, folder);
    exitWithParent(join(folder, NOTE));
  }
  if (running) {
    const adopted = { ...running, parent: process.pid };
    await writeNote(join(folder, NOTE), adopted);
    const server = new Server(folder, { version, security, controllerPorts: [adopted.controllerPort] }, adopted);
    await server.untilReady();
    return server;
  }
  const [port, controllerPort, securedPort] = (await freePorts(3)) as [number, number, number];
  const options = { version, security, controllerPorts: [controllerPort] };
  const server = new Server(folder, options, { pid: 0, port, controllerPort, securedPort });
  await server.start();
  return server;
}

/** Serves while more than half of the nodes run. */
export async function startLocalKafkas(
  folder: string,
  nodes: number,
  { version = KAFKA_VERSION }: Pick<LocalKafkaOptions, 'version'> = {},
): Promise<LocalKafka[]> {
  const ports = await freePorts(2 * nodes);
  const controllerPorts = ports.splice(nodes);
  const options = { version, security: undefined, controllerPorts, clusterId: newClusterId() };
  await kafkaJars(version);
  return Promise.all(
    ports.map(async (port, i) => {
      const own = join(folder, `node-${i + 1}`);
      await mkdir(own, { recursive: true });
      exitWithParent(join(own, NOTE));
      const server = new Server(own, options, {
        pid: 0,
        port,
        securedPort: 0,
        controllerPort: controllerPorts[i] as number,
      });
      await server.start();
      return server;
    }),
  );
}

function refuseServerOfAnother({ parent }: Note, folder: string): void {
  if (parent === undefined || parent === process.pid || !isAlive(parent)) return;
  throw Fault.conflict(`The data folder is in use by process ${parent}, which runs Kafka in ${folder}`);
}

interface ServerOptions {
  readonly version: string;
  readonly security: LocalKafkaSecurity | undefined;
  readonly controllerPorts: readonly number[];
  readonly clusterId?: string;
}

const newClusterId = (): string => randomBytes(16).toString('base64url');

class Server implements LocalKafka {
  readonly #folder: string;
  readonly #options: ServerOptions;
  #note: Note;
  readonly #endNow = (): void => {
    if (this.#runs()) killNow(this.pid);
  };

  constructor(folder: string, options: ServerOptions, note: Note) {
    this.#folder = folder;
    this.#options = options;
    this.#note = note;
    process.once('exit', this.#endNow);
  }

  get brokers(): string {
    return `127.0.0.1:${this.#note.port}`;
  }

  get securedBrokers(): string | undefined {
    return this.#options.security && `localhost:${this.#note.securedPort}`;
  }

  get pid(): number {
    return this.#note.pid;
  }

  async start(): Promise<void> {
    const { version, security, clusterId = newClusterId() } = this.#options;
    const classPath = join(await kafkaJars(version), '*');
    const properties = join(this.#folder, 'server.properties');
    await writeFile(properties, this.#properties());
    if (!existsSync(join(this.#data, 'meta.properties'))) {
      // The id may begin with a dash.
      const args = ['format', `--cluster-id=${clusterId}`, '-c', properties, ...scramUser(security)];
      const format = await this.#java(classPath, 'kafka.tools.StorageTool', args);
      const [code] = (await once(format, 'exit')) as [number | null];
      if (code !== 0) throw this.#refusal();
    }
    const child = await this.#java(classPath, 'kafka.Kafka', [properties]);
    child.unref();
    this.#note = { ...this.#note, pid: child.pid ?? 0, parent: process.pid };
    await writeNote(join(this.#folder, NOTE), { ...this.#note });
    await this.untilReady();
  }

  async untilReady(): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (!(await answers(this.#note.port))) {
      if (!isAlive(this.pid) || performance.now() > deadline) {
        this.#endNow();
        throw this.#refusal();
      }
      await delay(CHECK_INTERVAL_MS);
    }
  }

  async stop(): Promise<void> {
    process.off('exit', this.#endNow);
    if (this.#runs()) process.kill(this.pid, 'SIGTERM');
    if (!(await this.#isGone())) await this.kill();
  }

  async kill(): Promise<void> {
    this.#endNow();
    await this.#isGone();
  }

  async restart(): Promise<void> {
    await this.stop();
    process.once('exit', this.#endNow);
    await this.start();
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  #runs(): boolean {
    return isProcessOf(this.pid, this.#folder);
  }

  async #isGone(): Promise<boolean> {
    const deadline = performance.now() + STOP_TIMEOUT_MS;
    while (this.#runs()) {
      if (performance.now() > deadline) return false;
      await delay(CHECK_INTERVAL_MS);
    }
    return true;
  }

  async #java(classPath: string, program: string, args: readonly string[]) {
    const log = await open(join(this.#folder, 'server.log'), 'a');
    // In its own session, which Ctrl-C does not reach.
    const child = spawn('java', [...JVM, '-cp', classPath, program, ...args], {
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    child.on('error', () => undefined);
    await log.close();
    return child;
  }

  #properties(): string {
    const { port, controllerPort, securedPort } = this.#note;
    const { security, controllerPorts } = this.#options;
    const secured = security ? `,SASL_SSL://127.0.0.1:${securedPort}` : '';
    return Object.entries({
      'process.roles': 'broker,controller',
      'node.id': controllerPorts.indexOf(controllerPort) + 1,
      'controller.quorum.voters': controllerPorts.map((voter, i) => `${i + 1}@127.0.0.1:${voter}`).join(),
      'controller.listener.names': 'CONTROLLER',
      listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}${secured}`,
      'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}${secured.replace('127.0.0.1', 'localhost')}`,
      'log.dirs': this.#data,
      ...SETTINGS,
      ...copiesOn(controllerPorts.length),
      ...(security && securitySettings(security)),
    })
      .map(([name, value]) => `${name}=${value}\n`)
      .join('');
  }

  #refusal(): Fault {
    return Fault.unavailable(`Kafka did not start; see ${join(this.#folder, 'server.log')}`);
  }
}

const SETTINGS = {
  'auto.create.topics.enable': false,
  'offsets.topic.num.partitions': 1,
  'group.initial.rebalance.delay.ms': 0,
  // After a kill, the start waits for the previous session to expire.
  'broker.heartbeat.interval.ms': 500,
  'broker.session.timeout.ms': 3_000,
  'log.cleaner.backoff.ms': 500,
  'log.cleaner.dedupe.buffer.size': 8 << 20,
  'log.retention.check.interval.ms': 5_000,
  'leader.imbalance.check.interval.seconds': 5,
};

const copiesOn = (nodes: number) => ({
  'offsets.topic.replication.factor': nodes,
  'min.insync.replicas': Math.max(1, nodes - 1),
});

const MECHANISMS = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];

const scramUser = (security: LocalKafkaSecurity | undefined): string[] =>
  security
    ? MECHANISMS.flatMap((name) => ['--add-scram', `${name}=[name=${security.username},password=${security.password}]`])
    : [];

const oneLine = (pem: string): string => pem.replaceAll(/\r?\n/g, '\\n');

function securitySettings({ cert, key, ca, username, password }: LocalKafkaSecurity): Record<string, string> {
  const login = 'org.apache.kafka.common.security';
  return {
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': oneLine(cert),
    'ssl.keystore.key': oneLine(key),
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.certificates': oneLine(ca),
    'ssl.client.auth': 'requested',
    'sasl.enabled.mechanisms': ['PLAIN', ...MECHANISMS].join(),
    'listener.name.sasl_ssl.plain.sasl.jaas.config': `${login}.plain.PlainLoginModule required user_${username}="${password}";`,
    ...Object.fromEntries(
      MECHANISMS.map((name) => [
        `listener.name.sasl_ssl.${name.toLowerCase()}.sasl.jaas.config`,
        `${login}.scram.ScramLoginModule required;`,
      ]),
    ),
  };
}

const NOTE = 'tidings-kafka.json';

async function answers(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write(API_VERSIONS);
    await once(socket, 'data', { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const API_VERSIONS = Buffer.from('0000000a' + '0012' + '0000' + '00000001' + 'ffff', 'hex');
