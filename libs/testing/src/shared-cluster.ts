import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isAlive, isProcessOf } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import type { ApiClient } from '@tidings/client';
import type { ClusterOptions } from '@tidings/demo';
import { Closing, freePorts } from '@tidings/runtime';
import type { SimulatorOptions, Simulators } from '@tidings/simulators';
import { retryUntilAnswered } from './retry-until-answered.ts';
import { apps, buildAll } from './build.ts';
import { startKafka } from './kafka.ts';
import { runner, workerFolder } from './keeper.ts';
import { databasesAt, startMongo } from './mongo.ts';
import type { StoredWorld } from './platform-world.ts';
import { checkDocuments, closeAfter } from './valid-documents.ts';
import {
  connect,
  loadSimulators,
  newAdminToken,
  testEnvironment,
  testLog,
  untilSettled,
  worldOf,
  type KafkaAddress,
} from './world.ts';

type Ports = Readonly<Record<string, number>>;

export interface KeeperOptions extends Pick<
  ClusterOptions,
  'apps' | 'env' | 'adminToken' | 'mongoUrl' | 'kafkaBrokers'
> {
  /** The pid of Jest: the cluster ends with it. */
  readonly runner: number;
  readonly ports: Ports;
}

export interface KeptCluster {
  readonly pid: number;
  readonly urls: readonly string[];
  readonly mailPort: number | undefined;
  readonly eventsPort: number | undefined;
  readonly kafka: KafkaAddress;
  readonly admin: string;
  readonly mongoUrl: string;
  /** Suites start their simulators on these ports. */
  readonly ports: Ports;
}

const KEEPER = fileURLToPath(new URL('../dist/cluster-keeper.js', import.meta.url));
const START_TIMEOUT_MS = 240_000;
const POLL_MS = 50;
/** Wrong tokens of the earlier suite expire (R-LM8), and a deletion's second sweep takes place. */
const APART_S = 61;
const DELETIONS = 8;

const folder = (): string => workerFolder('cluster');
const keeperLog = (): string => join(folder(), 'keeper.log');

/**
 * One per Jest worker: each suite has its own account and an empty ledger, and ends with its applications deleted. One that does not settle is
 * replaced. Databases and lists of tokens are shared.
 */
export async function sharedCluster(options: SimulatorOptions = {}): Promise<StoredWorld> {
  const log = testLog();
  const closing = new Closing(log);
  try {
    const { kept, operator, simulators } = await settledCluster(options, closing);
    const logged = (await readFile(keeperLog())).length;
    closing.add('log', logged, reportLogged);
    const { account } = await operator.call('createAccount', { name: 'Suite' });
    const { secrets, client } = await connect(kept.urls, kept.admin, account);
    closing.add('client', client, (idle) => idle.close());
    closing.add('account', account, () => emptyAccount(account, client));
    return {
      ...worldOf({
        urls: kept.urls,
        mailPort: kept.mailPort,
        eventsPort: kept.eventsPort,
        kafka: kept.kafka,
        dataFolder: folder(),
        secrets,
        client,
        simulators,
        account,
      }),
      mongoUrl: kept.mongoUrl,
      stop: () => closeAfter(checkDocuments(kept.mongoUrl), closing),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function settledCluster(options: SimulatorOptions, closing: Closing) {
  const { ApiClient } = await import('@tidings/client');
  const existing = await keptCluster();
  for (const kept of [existing, undefined]) {
    if (kept === undefined && existing !== undefined) await end(existing);
    const found = kept ?? (await start());
    const operator = new ApiClient(found.urls, { admin: found.admin });
    const opened = new Closing(testLog());
    opened.add('operator', operator, (idle) => idle.close());
    try {
      await untilIdle(operator);
      const simulators = await loadSimulators({ ...options, ports: found.ports });
      opened.add('simulators', simulators, (running) => running.close());
      await alignClocks(simulators, operator);
      closing.add('cluster', opened, (all) => all.close());
      return { kept: found, operator, simulators };
    } catch (error) {
      await opened.close();
      if (kept === undefined) throw error;
      process.stderr.write(`The shared cluster is replaced: ${String(error)}\n`);
    }
  }
  throw Fault.bug('a new cluster is there, or its start has failed');
}

async function keptCluster(): Promise<KeptCluster | undefined> {
  const text = await readFile(join(folder(), 'cluster.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (text === undefined) return undefined;
  const kept = JSON.parse(text) as KeptCluster;
  return isProcessOf(kept.pid, folder()) ? kept : undefined;
}

async function end({ pid }: KeptCluster): Promise<void> {
  if (isProcessOf(pid, folder())) process.kill(pid, 'SIGTERM');
  while (isAlive(pid)) await delay(POLL_MS);
}

async function start(): Promise<KeptCluster> {
  await rm(folder(), { recursive: true, force: true });
  const { simulators } = await import('@tidings/simulators');
  const [mongo, { brokers, namespace }, freed] = await Promise.all([
    startMongo(),
    startKafka(),
    freePorts(simulators.size),
    mkdir(folder(), { recursive: true }),
    buildAll(),
  ]);
  // The databases are kept.
  await mongo.client.close();
  const ports = Object.fromEntries([...simulators.keys()].map((name, i) => [name, freed[i]!]));
  const adminToken = newAdminToken();
  const options: KeeperOptions = {
    runner: runner(),
    ports,
    apps,
    adminToken,
    env: { ...testEnvironment(simulatorsAt(ports, simulators), adminToken), KAFKA_NAMESPACE: namespace },
    mongoUrl: databasesAt(mongo),
    kafkaBrokers: brokers,
  };
  await writeFile(join(folder(), 'options.json'), JSON.stringify(options));
  const log = await open(keeperLog(), 'a');
  const keeper = spawn(process.execPath, ['--enable-source-maps', KEEPER, folder()], {
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  });
  await log.close();
  if (keeper.pid === undefined) await once(keeper, 'spawn');
  keeper.unref();
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const kept = await keptCluster();
    if (kept) return kept;
    if (keeper.exitCode !== null || Date.now() > deadline) {
      keeper.kill('SIGKILL');
      throw Fault.unavailable(`The shared cluster did not start:\n${await readFile(keeperLog(), 'utf8')}`);
    }
    await delay(POLL_MS);
  }
}

const simulatorsAt = (
  ports: Ports,
  simulators: ReadonlyMap<string, { readonly scheme?: string }>,
): Pick<Simulators, 'urlOf'> => ({
  urlOf: (provider) => `${simulators.get(provider)?.scheme ?? 'http'}://127.0.0.1:${ports[provider]!}`,
});

const secondOf = (ms: number): number => Math.floor(ms / 1000) * 1000;

/** While no provider runs: waiting pushes are dropped with their application by a second sweep. */
async function untilIdle(operator: ApiClient): Promise<void> {
  await untilSettled(operator);
  await operator.call('advanceClock', { advance_seconds: APART_S });
  await untilSettled(operator);
}

/** The system is whole seconds ahead of the machine: its reply has no milliseconds. */
async function alignClocks({ clock }: Simulators, operator: ApiClient): Promise<void> {
  for (;;) {
    const before = secondOf(Date.now());
    const { now } = await operator.call('advanceClock', { advance_seconds: 0 });
    if (secondOf(Date.now()) !== before) continue;
    clock.advance(Date.parse(now) - before);
    return;
  }
}

async function emptyAccount(account: string, client: ApiClient): Promise<void> {
  const { subscriptions } = await client.call('listSubscriptions');
  const ownSubscriptions = subscriptions.filter((subscription) => subscription.account === account);
  for (const { id } of ownSubscriptions) await client.call('deleteSubscription', { id });
  for (;;) {
    const codes = Object.keys((await client.call('getApplications')).applications);
    if (codes.length === 0) return;
    const worker = async (): Promise<void> => {
      for (let code = codes.pop(); code !== undefined; code = codes.pop()) {
        const application = code;
        await retryUntilAnswered(() => client.call('deleteApplication', { application }));
      }
    };
    await Promise.all(Array.from({ length: DELETIONS }, worker));
  }
}

/** Copied to standard error, such as the end of a process. */
async function reportLogged(since: number): Promise<void> {
  const text = (await readFile(keeperLog())).subarray(since).toString();
  if (text !== '') process.stderr.write(text);
}
