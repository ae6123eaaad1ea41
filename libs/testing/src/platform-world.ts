import type { World } from './world.ts';

/** A world whose processes write logs and can be restarted. */
export interface LoggingWorld extends PlatformWorld {
  /** All log lines of all processes so far, ordered per process. */
  logged(): Promise<string>;
  /** Ends the platform with SIGTERM and restarts it with additional variables, on the same data. */
  restart(env: Readonly<Record<string, string>>): Promise<void>;
}

/** A world with direct access to its databases. */
export interface StoredWorld extends PlatformWorld {
  /** The server; its path is the prefix of the database names. Other suites may have written to these databases. */
  readonly mongoUrl: string;
}

export interface PlatformWorld extends World {
  /** Closes the platform with SIGTERM unless suites share it, then the providers, and removes its data. */
  stop(): Promise<void>;
}
