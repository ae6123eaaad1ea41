import { Fault } from '@tidings/kernel';
import { closeOnSignal, type Configuration, endOnCrash, openLog, readEnv, readyHeap } from '@tidings/runtime';
import { greeting } from './greeting.ts';
import { openPlatform, type Platform } from './platform.ts';

/** What is wrong before anything runs is said in plain words, and ends the process. */
function giveUp(error: unknown): never {
  const text = error instanceof Fault && error.kind !== 'bug' ? error.message : String((error as Error).stack ?? error);
  process.stderr.write(`Tidings cannot start.\n${text}\n`);
  process.exit(1);
}

function configured(): Configuration {
  try {
    return readEnv();
  } catch (error) {
    return giveUp(error);
  }
}

const configuration = configured();
const log = openLog(configuration.logLevel);
endOnCrash(log);

const opening: Promise<Platform> = openPlatform(configuration, {
  log,
  onLost: (fault) => {
    log.fatal({ err: fault }, 'another process has taken the data over');
    process.kill(process.pid, 'SIGTERM');
  },
});
closeOnSignal({ log, close: async () => (await opening).close() });

const platform = await opening.catch(giveUp);
readyHeap();
process.stderr.write(greeting(platform, configuration));
log.info({ url: platform.url, startMs: Math.round(performance.now()) }, 'ready');
