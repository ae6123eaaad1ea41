import { type LoadedDocument, LoadedDocuments, type StateReader } from './documents.ts';
import { load } from './loading.ts';
import type { DocumentAddress, LogDefinition } from './port.ts';
import type { Problem } from './problems.ts';
import { checkState } from './storable.ts';
import type { LogStore, Quarantined, RefusedWrite, StateWrite, StoredCommit } from './store.ts';

/** Commits folded at a time: each document is written once for all of them. */
const FOLD_COMMITS = 100;

/** What folding needs of a definition; commands play no part in it. */
export type Fold<Event, State> = Pick<
  LogDefinition<never, Event, State, never, never>,
  'addresses' | 'decode' | 'evolve' | 'fromDocument' | 'lookups' | 'notesField' | 'toDocument'
>;

interface DecodedCommit<Event> {
  readonly n: number;
  readonly events: readonly Event[];
}

interface FoldedState<State> {
  state: State;
  n: number;
}

/** Brings states up to their logs, and keeps the list of documents for which that failed. */
export class Folder<Event, State> {
  readonly reader: StateReader<State>;
  readonly #fold: Fold<Event, State>;
  readonly #store: LogStore;
  readonly #report: (problem: Problem) => void;
  #quarantined = new Map<string, Quarantined>();

  constructor(fold: Fold<Event, State>, store: LogStore, report: (problem: Problem) => void) {
    this.#fold = fold;
    this.#store = store;
    this.#report = report;
    this.reader = {
      fromDocument: (document, address) => fold.fromDocument(document, address),
      ...(fold.lookups && { lookups: fold.lookups }),
      isQuarantined: (address) => this.#quarantined.size > 0 && this.#quarantined.has(keyOf(address)),
    };
  }

  /** Folds the commits of a log after `n` and returns the last one's number and how many they were. */
  async foldAfter(log: string, n: number): Promise<{ head: number; folded: number }> {
    for (let folded = 0, head = n; ;) {
      const commits = await this.#store.commitsAfter(log, head, FOLD_COMMITS);
      if (commits.length === 0) return { head, folded };
      if (commits[0]!.n !== head + 1) throw new Error(`${log}: commit ${head + 1} is missing`);
      await this.write(await this.#writesOf(log, commits));
      head = commits.at(-1)!.n;
      folded += commits.length;
    }
  }

  /** Writes states after their commits; a document that the store will never take is quarantined. Returns refused notes without a state. */
  async write(writes: readonly StateWrite[]): Promise<readonly RefusedWrite[]> {
    const refused = await this.#store.write(writes);
    for (const { write, error } of refused) {
      if (write.fields) await this.quarantine(write, error);
      else this.#report({ kind: 'unwritable', log: write.log, n: write.n, address: write.address, error });
    }
    return refused.filter(({ write }) => !write.fields);
  }

  async quarantine({ address, log, n }: Pick<Quarantined, 'address' | 'log' | 'n'>, error: unknown): Promise<void> {
    this.#report({ kind: 'quarantined', log, n, address, error });
    const document = { address, log, n, reason: error instanceof Error ? error.message : String(error) };
    this.#quarantined.set(keyOf(address), document);
    await this.#store.quarantine(document);
  }

  /** Learns what other writers have quarantined, or released. */
  async readQuarantined(): Promise<void> {
    const documents = await this.#store.quarantined();
    if (documents.length === 0 && this.#quarantined.size === 0) return;
    this.#quarantined = new Map(documents.map((document) => [keyOf(document.address), document]));
  }

  /** Folds quarantined documents again; those that can be written now are released. For the start: the code may be another. */
  async retryQuarantined(): Promise<void> {
    await this.readQuarantined();
    for (const document of [...this.#quarantined.values()]) {
      if (!(await this.#retry(document))) continue;
      await this.#store.release(document.address);
      this.#quarantined.delete(keyOf(document.address));
    }
  }

  async #retry({ address, log, n }: Quarantined): Promise<boolean> {
    const reader: StateReader<State> = { ...this.reader, isQuarantined: () => false };
    const loaded = new LoadedDocuments<State>(reader);
    await load(this.#store, reader, [{ ids: [address] }], loaded);
    const document = loaded.get(address)!;
    let folded: FoldedState<State> | undefined;
    try {
      for (let head = n - 1; ;) {
        const commits = await this.#store.commitsAfter(log, head, FOLD_COMMITS);
        if (commits.length === 0) break;
        for (const commit of commits) folded = this.#evolveOne(document, this.#decoded(log, commit), folded);
        head = commits.at(-1)!.n;
      }
      return !folded || (await this.#store.write([this.#writeOf(log, document, folded)])).length === 0;
    } catch (error) {
      this.#report({ kind: 'quarantined', log, n, address, error });
      return false;
    }
  }

  #evolveOne(
    document: LoadedDocument<State>,
    commit: DecodedCommit<Event>,
    folded: FoldedState<State> | undefined,
  ): FoldedState<State> | undefined {
    if (document.rev >= commit.n) return folded;
    for (const event of commit.events) {
      for (const address of this.#fold.addresses(event)) {
        if (keyOf(address) !== keyOf(document.address)) continue;
        const before = folded ? folded.state : document.state;
        folded = { state: this.#fold.evolve(before, event, address), n: commit.n };
      }
    }
    return folded;
  }

  async #writesOf(log: string, stored: readonly StoredCommit[]): Promise<StateWrite[]> {
    const commits = stored.map((commit) => this.#decoded(log, commit));
    const loaded = new LoadedDocuments<State>(this.reader);
    const ids = commits.flatMap(({ events }) => events.flatMap((event) => this.#fold.addresses(event)));
    await load(this.#store, this.reader, [{ ids }], loaded);
    // After the commits were read: one that touches a document was written before its quarantine, or after its release.
    if (this.#quarantined.size > 0) await this.readQuarantined();
    const folded = new Map<LoadedDocument<State>, FoldedState<State>>();
    const failed = new Map<LoadedDocument<State>, unknown>();
    for (const commit of commits) this.#evolveAll(commit, loaded, folded, failed);
    const writes: StateWrite[] = [];
    for (const [document, state] of folded) {
      try {
        if (!failed.has(document)) writes.push(this.#writeOf(log, document, state));
      } catch (error) {
        failed.set(document, error);
      }
    }
    const n = stored[0]!.n;
    for (const [{ address }, error] of failed) await this.quarantine({ address, log, n }, error);
    return writes;
  }

  #evolveAll(
    { n, events }: DecodedCommit<Event>,
    loaded: LoadedDocuments<State>,
    folded: Map<LoadedDocument<State>, FoldedState<State>>,
    failed: Map<LoadedDocument<State>, unknown>,
  ): void {
    for (const event of events) {
      for (const address of this.#fold.addresses(event)) {
        const document = loaded.get(address)!;
        if (document.rev >= n || failed.has(document) || this.reader.isQuarantined?.(address)) continue;
        try {
          const before = folded.get(document);
          folded.set(document, { state: this.#fold.evolve(before ? before.state : document.state, event, address), n });
        } catch (error) {
          failed.set(document, error);
        }
      }
    }
  }

  #writeOf(log: string, document: LoadedDocument<State>, { state, n }: FoldedState<State>): StateWrite {
    const { address, stored: before } = document;
    const fields = this.#fold.toDocument(state, address);
    const check = this.#store.indexCheck(address.collection);
    const bytes = checkState(address.id, fields, check, this.#fold.notesField);
    return { address, log, n, fields, before, notes: [], bytes };
  }

  #decoded(log: string, { n, events }: StoredCommit): DecodedCommit<Event> {
    const decoded: Event[] = [];
    for (const bytes of events) {
      try {
        decoded.push(this.#fold.decode(bytes));
      } catch (error) {
        this.#report({ kind: 'undecodable', log, n, error });
      }
    }
    return { n, events: decoded };
  }
}

const keyOf = ({ collection, id }: DocumentAddress): string => `${collection}\0${id}`;
