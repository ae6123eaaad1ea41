import { Fault } from '@tidings/kernel';
import { getOrAdd } from './get-or-add.ts';
import type { DocumentAddress, LogDefinition } from './event-log-port.ts';
import type { Quarantined } from './log-store.ts';
import type { StoredFields } from './storable.ts';

export interface StateReader<State> extends Pick<
  LogDefinition<never, never, State, never, never>,
  'fromDocument' | 'lookups'
> {
  /** Commands on it are refused: the stored state lacks a commit. */
  quarantineOf?(address: DocumentAddress): Pick<Quarantined, 'isUnknown'> | undefined;
}

export class BlockedDocument extends Fault {
  constructor({ collection, id }: DocumentAddress, { isUnknown }: Pick<Quarantined, 'isUnknown'>) {
    const internal = `${collection}/${id} is quarantined`;
    if (isUnknown)
      super('unavailable', 'Written by a newer version; please try again later', { internal, effect: 'none' });
    else super('bug', Fault.bug(internal).message, { internal });
  }
}

export interface CachedState<State> {
  readonly state: State;
}

export class LoadedDocument<State> {
  readonly address: DocumentAddress;
  readonly stored: StoredFields | undefined;
  readonly rev: number;
  readonly #reader: StateReader<State>;
  readonly #cached: CachedState<State> | undefined;
  #state: State | undefined;
  #read = false;

  constructor(
    address: DocumentAddress,
    stored: StoredFields | undefined,
    reader: StateReader<State>,
    cached?: CachedState<State>,
  ) {
    this.address = address;
    this.stored = stored;
    this.rev = typeof stored?.['rev'] === 'number' ? stored['rev'] : 0;
    this.#reader = reader;
    this.#cached = cached;
  }

  /** On first use: an unreadable document fails only its commands. */
  get state(): State | undefined {
    if (!this.#read) {
      const quarantine = this.#reader.quarantineOf?.(this.address);
      if (quarantine) throw new BlockedDocument(this.address, quarantine);
      this.#state = this.#cached
        ? this.#cached.state
        : this.stored && this.#reader.fromDocument(this.stored, this.address);
      this.#read = true;
    }
    return this.#state;
  }
}

export class LoadedDocuments<State> {
  readonly #reader: StateReader<State>;
  readonly #collections = new Map<string, Map<string, LoadedDocument<State>>>();
  readonly #created = new Map<string, Set<string>>();
  readonly #lookups = new Map<string, Map<string, LoadedDocument<State>[]>>();

  constructor(reader: StateReader<State>) {
    this.#reader = reader;
  }

  get(address: DocumentAddress): LoadedDocument<State> | undefined {
    return this.#collections.get(address.collection)?.get(address.id);
  }

  withValue(collection: string, value: string): readonly LoadedDocument<State>[] | undefined {
    return this.#lookups.get(collection)?.get(value);
  }

  add(address: DocumentAddress, stored: StoredFields | undefined, cached?: CachedState<State>): LoadedDocument<State> {
    const documents = getOrAdd(this.#collections, address.collection, () => new Map());
    return getOrAdd(documents, address.id, () => new LoadedDocument(address, stored, this.#reader, cached));
  }

  presumeAbsent({ collection, id }: DocumentAddress): void {
    getOrAdd(this.#created, collection, () => new Set()).add(id);
  }

  toChange(address: DocumentAddress): LoadedDocument<State> | undefined {
    const isCreated = this.#created.get(address.collection)?.has(address.id);
    return this.get(address) ?? (isCreated ? this.add(address, undefined) : undefined);
  }

  addLookup(collection: string, values: Iterable<string>, found: readonly LoadedDocument<State>[]): void {
    const byValue = getOrAdd(this.#lookups, collection, () => new Map());
    const field = this.#reader.lookups?.[collection];
    for (const value of values) byValue.set(value, []);
    for (const document of found) {
      for (const value of field === undefined ? [] : valuesOf(document.stored, field))
        byValue.get(value)?.push(document);
    }
  }
}

export function valuesOf(fields: StoredFields | undefined, field: string): readonly string[] {
  const value = fields?.[field];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
