import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';
import './sources.mjs';

const LOOK_EVERY_MS = 500;
// A worker whose Jest was killed would go on with its suite, and with the servers of it. A listener to the end of the channel would keep every worker
// from ending by itself.
if (process.channel) {
  const jest = process.ppid;
  setInterval(() => {
    if (process.ppid !== jest) process.exit(1);
  }, LOOK_EVERY_MS).unref();
}

const require = createRequire(import.meta.url);
const jestGlobals = await import('@jest/globals');
/** How many times each suite was imported: each import of a file needs an address of its own, which the cache of compiled code knows it by. */
const imports = new Map();

/**
 * Runs a suite with jest-circus as Jest does, but imports it with Node's own loader: modules are loaded once per worker, not once per suite, and suites
 * of a worker share what modules keep (ADR 57). The signature is that of Jest's option `testRunner`.
 */
export default function run(globalConfig, config, environment, runtime, path, send) {
  // Jest's own reads source maps of its transformed files only; Node's are on.
  Error.prepareStackTrace = undefined;
  // A fresh copy of jest-circus has the state of a new suite; this is the part of it that outlives a copy.
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
