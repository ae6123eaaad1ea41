import { flushCompileCache } from 'node:module';
import { closeOnSignal, type Configuration, endOnCrash, giveUp, openLog, readEnv, readyHeap } from '@tidings/runtime';
import { greeting, pageOf } from './greeting.ts';
import { openPlatform, type Platform } from './platform.ts';

function configured(): Configuration {
  try {
    return readEnv();
  } catch (error) {
    return giveUp('Tidings', error);
  }
}

const configuration = configured();
const log = openLog(configuration.logLevel);
endOnCrash(log);

const opening: Promise<Platform> = openPlatform(configuration, {
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
process.stderr.write(greeting(platform, configuration, pageOf(platform.url, configuration)));
log.info({ url: platform.url, startMs: Math.round(performance.now()) }, 'ready');
