import { type SendResult, connectionResults } from '@tidings/channels';
import type { Lane } from '@tidings/delivery';
import type { ProviderConnection } from '@tidings/http2';
import { Fault } from '@tidings/kernel';
import type { Throttler } from '../throttle/throttles.ts';

/** Resolves when a connection is open. Throws a Fault `unavailable` where it cannot be opened. */
export async function opened(connection: ProviderConnection): Promise<void> {
  // It calls when it is open, and when it could not be opened.
  if (!connection.isOpen()) await new Promise<void>((resolve) => connection.whenReady(resolve));
  if (connection.isOpen()) return;
  const { cause, message } = connection.lastFailure() ?? { cause: 'unreachable', message: '' };
  throw new Fault('unavailable', 'the provider cannot be reached', { internal: `${cause}: ${message}` });
}

/** What devices end with that this connection was not open for, for too long. */
export const troubleOf = (connection: ProviderConnection): SendResult =>
  connectionResults[connection.lastFailure()?.cause ?? 'unreachable'];

interface Entry {
  readonly version: number;
  readonly connection: ProviderConnection;
}

/** A connection per credential and lane; a new version of its settings takes the place of the old one. */
export class Connections {
  readonly #entries = new Map<string, Entry>();

  of({ reference, version }: Throttler, lane: Lane, open: () => ProviderConnection): ProviderConnection {
    const key = `${reference}/${lane}`;
    const entry = this.#entries.get(key);
    if (entry?.version === version) return entry.connection;
    // What is under way on the old one ends there.
    entry?.connection.renew(entry.connection.epoch);
    const connection = open();
    this.#entries.set(key, { version, connection });
    return connection;
  }

  /** Closes the connections of an application that is deleted: what is under way on them ends there. */
  forget(application: string): void {
    for (const [key, { connection }] of this.#entries) {
      if (!key.startsWith(`${application}/`)) continue;
      this.#entries.delete(key);
      connection.close();
    }
  }

  close(): void {
    for (const { connection } of this.#entries.values()) connection.close();
    this.#entries.clear();
  }
}
