import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';
import './sources.mjs';

const CHECK_INTERVAL_MS = 500;
// A worker whose Jest was killed would continue with its servers. A listener to the channel's end would keep workers alive.
if (process.channel) {
  const jest = process.ppid;
  setInterval(() => {
    if (process.ppid !== jest) process.exit(1);
  }, CHECK_INTERVAL_MS).unref();
}

const require = createRequire(import.meta.url);
const jestGlobals = await import('@jest/globals');
/** Each import of a file needs an address of its own, by which compiled code is cached. */
const imports = new Map();

/** Jest's `testRunner`: imports suites with Node's loader, so that modules are loaded once per worker (ADR 57). */
export default function run(globalConfig, config, environment, runtime, path, send) {
  // Jest's own reads source maps of its transformed files only; Node's are on.
  Error.prepareStackTrace = undefined;
  // A fresh copy of jest-circus has a new suite's state, except for this part.
  delete globalThis[Symbol.for('EVENT_HANDLERS')];
  const native = {
    __proto__: runtime,
    requireInternalModule(file) {
      delete require.cache[file];
      return require(file);
    },
    setGlobalsForRuntime(globals) {
      runtime.setGlobalsForRuntime(globals);
      const all = runtime.requireModuleOrMock(path, '@jest/globals');
      jestGlobals.set(all);
      Object.assign(globalThis, all);
    },
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule(file) {
      const times = (imports.get(file) ?? 0) + 1;
      imports.set(file, times);
      return import(`${pathToFileURL(file)}?import=${times}`);
    },
  };
  return circus.default(globalConfig, config, environment, native, path, send);
}
