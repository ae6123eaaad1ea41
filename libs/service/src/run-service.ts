import { flushCompileCache } from 'node:module';
import {
  closeOnSignal,
  endOnCrash,
  giveUp,
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
import { ServiceProcess } from './service-process.ts';

const HEALTH_PORT = 8080;

export interface Running {
  readonly addresses: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export interface Service<Name extends RequiredVariable, P extends ServiceName> {
  readonly name: ServiceName;
  readonly required: readonly Name[];
  readonly peers: readonly P[];
  readonly http?: boolean;
  readonly start: (process: ServiceProcess<Name, P>) => Promise<Running>;
}

/** On SIGTERM it finishes its work and closes, within 24 s. */
export async function runService<const Name extends RequiredVariable, const P extends ServiceName>(
  service: Service<Name, P>,
): Promise<void> {
  const { name, peers } = service;
  try {
    const configuration = readServiceEnv({ required: [...requiredByAll, ...service.required], peers }, process.env);
    const { logLevel, channels } = configuration;
    const log = openLog(logLevel).child({ service: name, ...(channels && { channels }) });
    endOnCrash(log);
    const stopping = new AbortController();
    const { signal } = stopping;
    const own = new ServiceProcess<Name, P>({ name, configuration, log, signal });
    const opening = open(service, own);
    closeOnSignal({
      log,
      async close() {
        own.readiness.stop();
        stopping.abort();
        // Parts that are being opened are closed, too.
        await opening.catch(() => undefined);
        await own.closing.close();
      },
    });
    const addresses = await opening.catch(async (error: unknown) => {
      // The signal's handler closes opened parts, and ends the process.
      if (signal.aborted) return new Promise<never>(() => undefined);
      await own.closing.close();
      throw error;
    });
    if (signal.aborted) return;
    own.readiness.start();
    // Node writes the cache of NODE_COMPILE_CACHE only at an exit, not in a killed process.
    flushCompileCache();
    tuneHeap();
    log.info({ ...addresses, startMs: Math.round(performance.now()) }, 'ready');
  } catch (error) {
    giveUp(`Tidings ${name}`, error);
  }
}

async function open<Name extends RequiredVariable, P extends ServiceName>(
  { http = false, start }: Service<Name, P>,
  own: ServiceProcess<Name, P>,
): Promise<Running['addresses']> {
  const { name, log, readiness, metrics, closing } = own;
  const { host, port, grpcPort, healthPort, tracing } = own.configuration;
  // Listened on only when the dependencies are there.
  if (http) await checkListenable({ variable: 'PORT', port, host });
  await checkListenable({ variable: 'GRPC_PORT', port: grpcPort, host });
  closing.add('traces', await startTracing(tracing, { service: `tidings-${name}`, log }), (opened) => opened.close());
  const health: Record<string, string> = {};
  if (!http || (healthPort !== undefined && healthPort !== port)) {
    const served = { readiness, metrics, host, port: healthPort ?? HEALTH_PORT };
    const server = await serveHealth(served).catch(withVariableName({ ...served, variable: 'HEALTH_PORT' }));
    health['health'] = closing.add('health', server, (opened) => opened.close()).url;
  }
  const running = closing.add('requests', await start(own), (opened) => opened.close());
  return { ...health, ...running.addresses };
}
