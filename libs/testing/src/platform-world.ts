import type { World } from './world.ts';

export interface LoggingWorld extends PlatformWorld {
  /** Ordered per process. */
  logged(): Promise<string>;
  /** On the same data. */
  restart(env: Readonly<Record<string, string>>): Promise<void>;
}

export interface StoredWorld extends PlatformWorld {
  /** Its path is the prefix of the databases, which other suites may have written to. */
  readonly mongoUrl: string;
}

export interface PlatformWorld extends World {
  /** Closes a platform that suites share only at their end. */
  stop(): Promise<void>;
}
