import type { World } from './world.ts';

/** A world whose processes write logs and can be started anew. */
export interface LoggingWorld extends PlatformWorld {
  /** All lines of all processes so far, in the order of each. */
  logged(): Promise<string>;
  /** Ends it as SIGTERM does and starts it again with further variables, on the same data. */
  restart(env: Readonly<Record<string, string>>): Promise<void>;
}

/** A world whose databases can be looked into. */
export interface StoredWorld extends PlatformWorld {
  /** The server; the path is what the names of the databases begin with, which other suites may have filled, too. */
  readonly mongoUrl: string;
}

export interface PlatformWorld extends World {
  /** Closes the platform as SIGTERM would unless suites share it, then the providers, and leaves nothing behind. */
  stop(): Promise<void>;
}
