import { type SendResult, connectionResults } from '@tidings/channels';
import type { Lane } from '@tidings/delivery';
import type { ProviderConnection } from '@tidings/http2';
import { Fault } from '@tidings/kernel';
import type { Throttler } from '../throttle/throttles.ts';

export async function opened(connection: ProviderConnection): Promise<void> {
  if (!connection.isOpen()) await new Promise<void>((resolve) => connection.whenReady(resolve));
  if (connection.isOpen()) return;
  const { cause, message } = connection.lastFailure() ?? { cause: 'unreachable', message: '' };
  throw new Fault('unavailable', 'the provider cannot be reached', { internal: `${cause}: ${message}` });
}

export const connectionResult = (connection: ProviderConnection): SendResult =>
  connectionResults[connection.lastFailure()?.cause ?? 'unreachable'];

interface Entry {
  readonly version: number;
  readonly connection: ProviderConnection;
}

export class Connections {
  readonly #entries = new Map<string, Entry>();

  of({ reference, version }: Throttler, lane: Lane, open: () => ProviderConnection): ProviderConnection {
    const key = `${reference}/${lane}`;
    const entry = this.#entries.get(key);
    if (entry?.version === version) return entry.connection;
    entry?.connection.renew(entry.connection.epoch);
    const connection = open();
    this.#entries.set(key, { version, connection });
    return connection;
  }

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
