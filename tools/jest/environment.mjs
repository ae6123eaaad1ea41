import { ModernFakeTimers } from '@jest/fake-timers';
import { TestEnvironment } from 'jest-environment-node';
import { ModuleMocker } from 'jest-mock';

/** Fake timers, spies and globals are in the global scope itself, where suites run (`runner.mjs`). */
export default class GlobalEnvironment extends TestEnvironment {
  #globals;

  constructor(config, context) {
    super(config, context);
    this.#globals = config.projectConfig.globals;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }

  async setup() {
    await super.setup();
    Object.assign(globalThis, this.#globals);
  }

  /** A worker runs suites of other projects, too. */
  async teardown() {
    for (const name of Object.keys(this.#globals)) delete globalThis[name];
    await super.teardown();
  }
}
