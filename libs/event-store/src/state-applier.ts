import { Fault } from '@tidings/kernel';
import { isTransient } from '@tidings/mongo';
import { type LoadedDocument, LoadedDocuments, type StateReader } from './documents.ts';
import { load } from './loading.ts';
import { OwnedFields } from './owned-fields.ts';
import type { DocumentAddress, LogDefinition } from './event-log-port.ts';
import type { Problem, WriterCounts } from './problems.ts';
import { checkState } from './storable.ts';
import type { LogStore, Quarantined, RefusedWrite, StateWrite, StoredCommit } from './log-store.ts';
import { Quarantine } from './quarantine.ts';
import { UnknownEvent } from './unknown-event.ts';

const COMMITS_AT_ONCE = 100;
const RETRY_MS = 1000;
const RETRIES_AT_ONCE = 16;

export type StateDefinition<Event, State> = Pick<
  LogDefinition<never, Event, State, never, never>,
  | 'addresses'
  | 'clears'
  | 'decode'
  | 'evolve'
  | 'fields'
  | 'fromDocument'
  | 'isKnown'
  | 'lookups'
  | 'named'
  | 'selfReportedField'
  | 'toDocument'
>;

type DecodedEvent<Event> = { readonly addresses: readonly DocumentAddress[] } & (
  | { readonly event: Event }
  | { readonly error: Error }
);

interface DecodedCommit<Event> {
  readonly position: number;
  readonly events: readonly DecodedEvent<Event>[];
}

export interface ApplierReports {
  readonly counts: Pick<WriterCounts, 'quarantined'>;
  readonly report: (problem: Problem) => void;
}

interface AppliedState<State> {
  state: State;
  position: number;
}

export class StateApplier<Event, State> {
  readonly reader: StateReader<State>;
  readonly #definition: StateDefinition<Event, State>;
  readonly #owned: OwnedFields;
  readonly #store: LogStore;
  readonly #quarantine: Quarantine;
  readonly #report: ApplierReports['report'];

  constructor(definition: StateDefinition<Event, State>, store: LogStore, { counts, report }: ApplierReports) {
    this.#definition = definition;
    this.#owned = new OwnedFields(definition);
    this.#store = store;
    this.#quarantine = new Quarantine({ store, counts, report });
    this.#report = report;
    this.reader = {
      fromDocument: (document, address) => definition.fromDocument(document, address),
      ...(definition.lookups && { lookups: definition.lookups }),
      quarantineOf: (address) => this.#quarantine.of(address),
    };
  }

  get hasQuarantined(): boolean {
    return !this.#quarantine.isEmpty;
  }

  async applyAfter(log: string, position: number): Promise<{ head: number; applied: number }> {
    for (let applied = 0, head = position; ;) {
      const commits = await this.#store.commitsAfter(log, head, COMMITS_AT_ONCE);
      if (commits.length === 0) return { head, applied };
      if (commits[0]!.position !== head + 1) throw new Error(`${log}: commit ${head + 1} is missing`);
      await this.write(await this.#writesOf(log, commits));
      head = commits.at(-1)!.position;
      applied += commits.length;
    }
  }

  async write(writes: readonly StateWrite[]): Promise<readonly RefusedWrite[]> {
    const refused = await this.#store.write(writes);
    for (const { write, error } of refused) {
      if (write.fields) await this.#quarantine.add(write, error);
      else
        this.#report({ kind: 'unwritable', log: write.log, position: write.position, address: write.address, error });
    }
    return refused.filter(({ write }) => !write.fields);
  }

  readQuarantined(): Promise<void> {
    return this.#quarantine.read();
  }

  async retryQuarantined(): Promise<void> {
    const due = this.#quarantine.due();
    const startedAt = performance.now();
    while (due.length > 0 && performance.now() - startedAt < RETRY_MS) {
      const some = due.splice(0, RETRIES_AT_ONCE);
      await Promise.all(some.map((document) => this.#quarantine.retry(document, (each) => this.#applyOne(each))));
    }
    if (!this.#quarantine.isEmpty) await this.readQuarantined();
  }

  storeRecovered(): void {
    this.#quarantine.storeRecovered();
  }

  async #applyOne(document: Quarantined): Promise<unknown> {
    try {
      return (await this.#writeOne(document))?.error;
    } catch (error) {
      if (isTransient(error)) throw error;
      return error;
    }
  }

  async #writeOne({ address, log, position }: Quarantined): Promise<RefusedWrite | undefined> {
    const reader: StateReader<State> = { ...this.reader, quarantineOf: () => undefined };
    const loaded = new LoadedDocuments<State>(reader);
    await load(this.#store, reader, [{ ids: [address] }], loaded);
    const document = loaded.get(address)!;
    let applied: AppliedState<State> | undefined;
    for (let head = Math.max(position - 1, document.rev); ;) {
      const commits = await this.#store.commitsAfter(log, head, COMMITS_AT_ONCE);
      if (commits.length === 0) break;
      for (const commit of commits) applied = this.#evolveOne(document, this.#decoded(log, commit), applied);
      head = commits.at(-1)!.position;
    }
    return applied && (await this.#store.write([this.#writeOf(log, document, applied)]))[0];
  }

  #evolveOne(
    document: LoadedDocument<State>,
    commit: DecodedCommit<Event>,
    applied: AppliedState<State> | undefined,
  ): AppliedState<State> | undefined {
    if (document.rev >= commit.position) return applied;
    for (const decoded of commit.events) {
      for (const address of decoded.addresses) {
        if (keyOf(address) !== keyOf(document.address)) continue;
        const before = applied ? applied.state : document.state;
        applied = { state: this.#evolved(before, decoded, address), position: commit.position };
      }
    }
    return applied;
  }

  async #writesOf(log: string, stored: readonly StoredCommit[]): Promise<StateWrite[]> {
    const commits = stored.map((commit) => this.#decoded(log, commit));
    const loaded = new LoadedDocuments<State>(this.reader);
    const ids = commits.flatMap(({ events }) => events.flatMap(({ addresses }) => addresses));
    await load(this.#store, this.reader, [{ ids }], loaded);
    // After the commits: one that affects a document precedes its quarantine, or follows its release.
    if (!this.#quarantine.isEmpty) await this.readQuarantined();
    const applied = new Map<LoadedDocument<State>, AppliedState<State>>();
    const failed = new Map<LoadedDocument<State>, unknown>();
    for (const commit of commits) this.#evolveAll(commit, loaded, applied, failed);
    const writes: StateWrite[] = [];
    for (const [document, state] of applied) {
      try {
        if (!failed.has(document)) writes.push(this.#writeOf(log, document, state));
      } catch (error) {
        failed.set(document, error);
      }
    }
    const position = stored[0]!.position;
    for (const [{ address }, error] of failed) await this.#quarantine.add({ address, log, position }, error);
    return writes;
  }

  #evolveAll(
    { position, events }: DecodedCommit<Event>,
    loaded: LoadedDocuments<State>,
    applied: Map<LoadedDocument<State>, AppliedState<State>>,
    failed: Map<LoadedDocument<State>, unknown>,
  ): void {
    for (const decoded of events) {
      for (const address of decoded.addresses) {
        const document = loaded.get(address)!;
        if (document.rev >= position || failed.has(document) || this.reader.quarantineOf?.(address)) continue;
        try {
          const before = applied.get(document);
          applied.set(document, {
            state: this.#evolved(before ? before.state : document.state, decoded, address),
            position,
          });
        } catch (error) {
          failed.set(document, error);
        }
      }
    }
  }

  #writeOf(log: string, document: LoadedDocument<State>, { state, position }: AppliedState<State>): StateWrite {
    const { address, stored: before } = document;
    const fields = this.#owned.among(address.collection, this.#definition.toDocument(state, address));
    const check = this.#store.indexCheck(address.collection);
    const bytes = checkState(address.id, fields, check);
    const clears = this.#definition.clears?.(state, address) ?? false;
    return { address, log, position, fields, before, clears, selfReports: [], bytes };
  }

  #evolved(state: State | undefined, decoded: DecodedEvent<Event>, address: DocumentAddress): State {
    if ('error' in decoded) throw decoded.error;
    return this.#definition.evolve(state, decoded.event, address);
  }

  #decoded(log: string, { position, events, documents = [] }: StoredCommit): DecodedCommit<Event> {
    const stored = new Map(documents.map(({ index, addresses }) => [index, addresses]));
    return { position, events: events.map((bytes, index) => this.#read(bytes, stored.get(index), { log, position })) };
  }

  #read(
    bytes: Uint8Array,
    stored: readonly DocumentAddress[] | undefined,
    location: { readonly log: string; readonly position: number },
  ): DecodedEvent<Event> {
    const definition = this.#definition;
    let event: Event;
    try {
      event = definition.decode(bytes);
    } catch (error) {
      if (!stored) this.#report({ kind: 'undecodable', ...location, error });
      return { addresses: stored ?? [], error: Fault.from(error) };
    }
    if (definition.isKnown(event)) return { addresses: definition.addresses(event), event };
    return { addresses: stored ?? definition.named?.(event) ?? [], error: new UnknownEvent(location) };
  }
}

const keyOf = ({ collection, id }: DocumentAddress): string => `${collection}\0${id}`;
