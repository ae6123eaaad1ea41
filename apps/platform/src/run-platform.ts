import { flushCompileCache } from 'node:module';
import { closeOnSignal, type Configuration, endOnCrash, giveUp, openLog, readEnv, tuneHeap } from '@tidings/runtime';
import { greeting } from './greeting.ts';
import { openPlatform, type Platform, type PlatformOptions } from './platform.ts';

export function readConfiguration(): Configuration {
  try {
    return readEnv();
  } catch (error) {
    return giveUp('Tidings', error);
  }
}

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
  flushCompileCache();
  tuneHeap();
  process.stderr.write(greeting(platform, configuration));
  log.info({ url: platform.url, startMs: Math.round(performance.now()) }, 'ready');
  return platform;
}
