import { flushCompileCache } from 'node:module';
import {
  Closing,
  closeOnSignal,
  endOnCrash,
  giveUp,
  type Logger,
  openLog,
  readServiceEnv,
  requiredByAll,
  type RequiredVariable,
  serveHealth,
  type ServiceName,
  startTracing,
  tuneHeap,
  checkListenable,
  withVariableName,
} from '@tidings/runtime';
import { serveCalls } from './microservice.ts';
import { ProcessResources } from './process-resources.ts';
import type { Addresses, AnyService } from './service.ts';
import { ServiceProcess } from './service-process.ts';

const HEALTH_PORT = 8080;

interface Started {
  readonly service: AnyService;
  readonly process: ServiceProcess<RequiredVariable, ServiceName>;
}

export const runService = (service: AnyService): Promise<void> => run(service.name, [service]);

/** Each service reaches the others by gRPC, as if it had a process of its own. */
export const runServices = (services: readonly AnyService[]): Promise<void> =>
  run(services.map(({ name }) => name).join('+'), services);

/** On SIGTERM it finishes its work and closes, within 24 s. */
async function run(name: string, services: readonly AnyService[]): Promise<void> {
  let failed: string | undefined;
  try {
    const configuration = readServiceEnv(
      {
        required: [...requiredByAll, ...new Set(services.flatMap(({ required }) => required))],
        peers: [...new Set(services.flatMap(({ peers }) => peers))],
        together: services.length > 1 ? services.map((service) => service.name) : [],
      },
      process.env,
    );
    const { logLevel, channels } = configuration;
    const base = openLog(logLevel);
    const logOf = (service: string): Logger =>
      base.child({ service, ...(service === 'dispatcher' && channels && { channels }) });
    const log = logOf(name);
    endOnCrash(log);
    const stopping = new AbortController();
    const { signal } = stopping;
    const resources = new ProcessResources({ name, configuration, log, signal });
    const started = services.map((service): Started => {
      const own = { name: service.name, configuration, log: services.length > 1 ? logOf(service.name) : log, signal };
      return { service, process: new ServiceProcess({ ...own, resources, closing: new Closing(log) }) };
    });
    const opening = open(started, resources, (service) => (failed ??= service));
    closeOnSignal({
      log,
      async close() {
        resources.readiness.stop();
        stopping.abort();
        // Parts that are being opened are closed, too.
        await opening.catch(() => undefined);
        await resources.closing.close();
      },
    });
    const addresses = await opening.catch(async (error: unknown) => {
      // The signal's handler closes opened parts, and ends the process.
      if (signal.aborted) return new Promise<never>(() => undefined);
      await resources.closing.close();
      throw error;
    });
    if (signal.aborted) return;
    resources.readiness.start();
    // Node writes the cache of NODE_COMPILE_CACHE only at an exit, not in a killed process.
    flushCompileCache();
    tuneHeap();
    log.info({ ...addresses, startMs: Math.round(performance.now()) }, 'ready');
  } catch (error) {
    giveUp(`Tidings ${failed ?? name}`, error);
  }
}

async function open(
  started: readonly Started[],
  resources: ProcessResources,
  failing: (service: string) => void,
): Promise<Addresses> {
  const { name, log, readiness, metrics, closing, signal } = resources;
  const { host, port, grpcPort, healthPort, tracing } = resources.configuration;
  const behind = started.filter(({ service }) => !service.http);
  const withHttp = started.filter(({ service }) => service.http);
  const hasHttp = withHttp.length > 0;
  // Listened on only when the dependencies are there.
  if (hasHttp) await checkListenable({ variable: 'PORT', port, host });
  await checkListenable({ variable: 'GRPC_PORT', port: grpcPort, host });
  closing.add('traces', await startTracing(tracing, { service: `tidings-${name}`, log }), (opened) => opened.close());
  let addresses: Addresses = {};
  if (!hasHttp || (healthPort !== undefined && healthPort !== port)) {
    const served = { readiness, metrics, host, port: healthPort ?? HEALTH_PORT };
    const server = await serveHealth(served).catch(withVariableName({ ...served, variable: 'HEALTH_PORT' }));
    addresses = { health: closing.add('health', server, (opened) => opened.close()).url };
  }
  const start = async ({ service, process }: Started): Promise<void> => {
    const running = await service.start(process).catch((error: unknown) => {
      failing(service.name);
      throw error;
    });
    process.closing.add('requests', running, (opened) => opened.close());
    addresses = { ...addresses, ...running.addresses };
  };
  const startAll = async (all: readonly Started[]): Promise<void> => {
    closing.add('services', all, (each) => Promise.all(each.map(({ process }) => process.closing.close())));
    const starting = all.map(start);
    await Promise.all(starting).catch(async (error: unknown) => {
      if (signal.aborted) await Promise.allSettled(starting);
      throw error;
    });
  };
  await startAll(behind);
  const calls = closing.add('calls', await serveCalls(resources), (opened) => opened.close());
  await startAll(withHttp);
  return { ...addresses, grpc: calls.address };
}
