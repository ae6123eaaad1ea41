import { flushCompileCache } from 'node:module';
import { closeOnSignal, type Configuration, endOnCrash, giveUp, openLog, readEnv, readyHeap } from '@tidings/runtime';
import { greeting } from './greeting.ts';
import { openPlatform, type Platform, type PlatformOptions } from './platform.ts';

/** The configuration in the environment. Invalid values end the process with a line each. */
export function readConfiguration(): Configuration {
  try {
    return readEnv();
  } catch (error) {
    return giveUp('Tidings', error);
  }
}

/**
 * Runs the platform as this process until a signal ends it, or another process takes over its data. Resolves when it is ready and has greeted; a start
 * that fails ends the process.
 */
export async function runPlatform(
  configuration: Configuration,
  options: Pick<PlatformOptions, 'modules'> = {},
): Promise<Platform> {
  const log = openLog(configuration.logLevel);
  endOnCrash(log);
  const opening = openPlatform(configuration, {
    ...options,
    log,
    onLost: (fault) => {
      log.fatal({ err: fault }, 'another process has taken over the data folder');
      process.kill(process.pid, 'SIGTERM');
    },
  });
  closeOnSignal({ log, close: async () => (await opening).close() });

  const platform = await opening.catch((error: unknown) => giveUp('Tidings', error));
  // Node itself writes the cache that NODE_COMPILE_CACHE names when a process exits, which a killed process does not.
  flushCompileCache();
  readyHeap();
  process.stderr.write(greeting(platform, configuration));
  log.info({ url: platform.url, startMs: Math.round(performance.now()) }, 'ready');
  return platform;
}
