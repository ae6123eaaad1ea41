import type { ProviderConnection } from '../providers/http2.ts';
import type { Lane } from './port.ts';

interface Entry {
  readonly version: number;
  readonly connection: ProviderConnection;
}

/** A connection per credential and lane; a new version of the credential takes the place of the old one. */
export class Connections {
  readonly #entries = new Map<string, Entry>();

  of(gate: string, version: number, lane: Lane, open: () => ProviderConnection): ProviderConnection {
    const key = `${gate}/${lane}`;
    const entry = this.#entries.get(key);
    if (entry?.version === version) return entry.connection;
    // What is under way on the old one ends there.
    entry?.connection.renew(entry.connection.epoch);
    const connection = open();
    this.#entries.set(key, { version, connection });
    return connection;
  }

  close(): void {
    for (const { connection } of this.#entries.values()) connection.close();
    this.#entries.clear();
  }
}
