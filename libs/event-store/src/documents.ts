import { Fault } from '@tidings/kernel';
import { getOrAdd } from './get-or-add.ts';
import type { DocumentAddress, LogDefinition } from './event-log-port.ts';
import type { Quarantined } from './log-store.ts';
import type { StoredFields } from './storable.ts';

/** The parts of a definition that reading states needs. */
export interface StateReader<State> extends Pick<
  LogDefinition<never, never, State, never, never>,
  'fromDocument' | 'lookups'
> {
  /** The reason of a document's quarantine: commands on it must be refused, because the stored state lacks a commit. */
  quarantineOf?(address: DocumentAddress): Pick<Quarantined, 'isUnknown'> | undefined;
}

/**
 * Refuses a command on a document in quarantine: `unavailable` if a newer version can apply its commits, `bug` otherwise. The other commands of its
 * group are not affected.
 */
export class StandsStill extends Fault {
  constructor({ collection, id }: DocumentAddress, { isUnknown }: Pick<Quarantined, 'isUnknown'>) {
    const internal = `${collection}/${id} is quarantined`;
    if (isUnknown)
      super('unavailable', 'Written by a newer version; please try again later', { internal, effect: 'none' });
    else super('bug', Fault.bug(internal).message, { internal });
  }
}

/** The state in a document that this writer has written. */
export interface KnownState<State> {
  readonly state: State;
}

/** A document as loaded, present or absent. It is immutable; the changes of a group are kept separately. */
export class LoadedDocument<State> {
  readonly address: DocumentAddress;
  readonly stored: StoredFields | undefined;
  /** The position of the last applied commit, 0 without a document. */
  readonly rev: number;
  readonly #reader: StateReader<State>;
  readonly #known: KnownState<State> | undefined;
  #state: State | undefined;
  #read = false;

  constructor(
    address: DocumentAddress,
    stored: StoredFields | undefined,
    reader: StateReader<State>,
    known?: KnownState<State>,
  ) {
    this.address = address;
    this.stored = stored;
    this.rev = typeof stored?.['rev'] === 'number' ? stored['rev'] : 0;
    this.#reader = reader;
    this.#known = known;
  }

  /** Read on first use, so that an unreadable document fails only the commands that need it. */
  get state(): State | undefined {
    if (!this.#read) {
      const quarantine = this.#reader.quarantineOf?.(this.address);
      if (quarantine) throw new StandsStill(this.address, quarantine);
      this.#state = this.#known
        ? this.#known.state
        : this.stored && this.#reader.fromDocument(this.stored, this.address);
      this.#read = true;
    }
    return this.#state;
  }
}

/** The documents loaded for a cycle, by address and by the definition's lookup field. */
export class LoadedDocuments<State> {
  readonly #reader: StateReader<State>;
  readonly #collections = new Map<string, Map<string, LoadedDocument<State>>>();
  /** Per collection: ids that are presumed to be absent. */
  readonly #created = new Map<string, Set<string>>();
  /** Per collection: each looked-up value with its documents. */
  readonly #lookups = new Map<string, Map<string, LoadedDocument<State>[]>>();

  constructor(reader: StateReader<State>) {
    this.#reader = reader;
  }

  get(address: DocumentAddress): LoadedDocument<State> | undefined {
    return this.#collections.get(address.collection)?.get(address.id);
  }

  /** The documents whose lookup field has `value`, or undefined if that was not queried. */
  withValue(collection: string, value: string): readonly LoadedDocument<State>[] | undefined {
    return this.#lookups.get(collection)?.get(value);
  }

  /** Adds a document, unless it is present: the first version decided on stays the base. */
  add(address: DocumentAddress, stored: StoredFields | undefined, known?: KnownState<State>): LoadedDocument<State> {
    const documents = getOrAdd(this.#collections, address.collection, () => new Map());
    return getOrAdd(documents, address.id, () => new LoadedDocument(address, stored, this.#reader, known));
  }

  /** See `Needs.created`. */
  presumeAbsent({ collection, id }: DocumentAddress): void {
    getOrAdd(this.#created, collection, () => new Set()).add(id);
  }

  /** The document that events are applied to: it is not read if it is presumed to be absent. */
  toChange(address: DocumentAddress): LoadedDocument<State> | undefined {
    const isCreated = this.#created.get(address.collection)?.has(address.id);
    return this.get(address) ?? (isCreated ? this.add(address, undefined) : undefined);
  }

  /** Records the store's answer to a lookup of these values: all such documents of the collection. */
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

/** The texts at a lookup field: one, or the entries of an array. */
export function valuesOf(fields: StoredFields | undefined, field: string): readonly string[] {
  const value = fields?.[field];
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
