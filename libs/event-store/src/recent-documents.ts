import { type Clock, systemClock, steadyTime } from '@tidings/kernel';
import type { ChangedState } from './decide-group.ts';
import type { LoadedDocument, LoadedDocuments } from './documents.ts';
import type { DocumentAddress } from './event-log-port.ts';
import type { Log } from './log-intake.ts';
import type { OwnedFields } from './owned-fields.ts';
import type { StoredFields } from './storable.ts';

/** Much shorter than any retention, which removes documents without a commit. */
const KEPT_MS = 10_000;

type OfLog = Pick<Log<never, never>, 'foreignCommits'>;

interface CachedDocument<State> {
  readonly log: OfLog;
  readonly foreignCommits: number;
  readonly at: number;
  readonly bytes: number;
  readonly stored: StoredFields;
  readonly state: State;
}

export interface RecentDocumentsOptions {
  /** 0 remembers none. */
  readonly maxBytes: number;
  readonly owned: OwnedFields;
  readonly clock?: Clock | undefined;
}

/** A decision on an outdated document conflicts; decisions without a commit must not use these. */
export class RecentDocuments<State> {
  readonly #documents = new Map<string, CachedDocument<State>>();
  readonly #owned: OwnedFields;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  #bytes = 0;

  constructor({ maxBytes, owned, clock = systemClock }: RecentDocumentsOptions) {
    this.#maxBytes = maxBytes;
    this.#owned = owned;
    this.#clock = clock;
  }

  load(log: OfLog, addresses: Iterable<DocumentAddress>, into: LoadedDocuments<State>): boolean {
    if (this.#documents.size === 0) return false;
    const since = steadyTime(this.#clock) - KEPT_MS;
    let isAny = false;
    for (const address of addresses) {
      const cached = this.#documents.get(keyOf(address));
      if (cached?.log !== log || cached.foreignCommits !== log.foreignCommits || cached.at < since) continue;
      into.add(address, cached.stored, { state: cached.state });
      isAny = true;
    }
    return isAny;
  }

  written(
    log: OfLog,
    position: number,
    { address, stored: before }: LoadedDocument<State>,
    { state, document, clears, bytes }: ChangedState<State>,
  ): void {
    this.forget(address);
    if (clears || !document || bytes > this.#maxBytes) return;
    const stored: Record<string, unknown> = before ? this.#owned.unowned(address.collection, before) : {};
    for (const name in document) if (document[name] !== undefined) stored[name] = document[name];
    stored['rev'] = position;
    this.#bytes += bytes;
    const at = steadyTime(this.#clock);
    this.#documents.set(keyOf(address), { log, foreignCommits: log.foreignCommits, at, bytes, stored, state });
    for (const [key, oldest] of this.#documents) {
      if (this.#bytes <= this.#maxBytes && oldest.at >= at - KEPT_MS) break;
      this.#bytes -= oldest.bytes;
      this.#documents.delete(key);
    }
  }

  forget(address: DocumentAddress): void {
    const key = keyOf(address);
    this.#bytes -= this.#documents.get(key)?.bytes ?? 0;
    this.#documents.delete(key);
  }
}

const keyOf = ({ collection, id }: DocumentAddress): string => `${collection}\0${id}`;
