import { valuesOf } from '../documents.ts';
import type { StoredFields } from '../storable.ts';
import type { CountingLogWriter, OpenLogsOptions } from '../log-options.ts';
import { OwnedFields } from '../owned-fields.ts';
import type { DocumentAddress, LogDefinition } from '../event-log-port.ts';
import type {
  Head,
  InsertOutcome,
  LogStore,
  Quarantined,
  RefusedWrite,
  StateWrite,
  StoredCommit,
} from '../log-store.ts';
import { GroupingLogWriter } from '../log-writer.ts';
import { MemoryStore } from './memory-store.ts';

export interface MemoryLogsOptions<Event> extends OpenLogsOptions<Event> {
  readonly store?: MemoryStore;
}

export function openMemoryLogs<Command, Event, State, Reply, Context>(
  definition: LogDefinition<Command, Event, State, Reply, Context>,
  { store = new MemoryStore(), ...options }: MemoryLogsOptions<Event> = {},
): CountingLogWriter<Command, Reply> {
  return new GroupingLogWriter(definition, new MemoryLogStore(store, definition), options);
}

export class MemoryLogStore implements LogStore {
  readonly #store: MemoryStore;
  readonly #selfReportedField: string | undefined;
  readonly #owned: OwnedFields;
  readonly #heads: Map<string, number>;
  readonly #quarantined: Map<string, Quarantined>;

  constructor(
    store: MemoryStore,
    definition: Pick<LogDefinition<never, never, never, never, never>, 'category' | 'fields' | 'selfReportedField'>,
  ) {
    const { category, selfReportedField } = definition;
    this.#owned = new OwnedFields(definition);
    this.#store = store;
    this.#selfReportedField = selfReportedField;
    this.#heads = store.heads(category);
    this.#quarantined = store.quarantined(category);
  }

  async heads(logs: readonly string[]): Promise<ReadonlyMap<string, number>> {
    for (const log of logs) if (!this.#heads.has(log)) this.#heads.set(log, 0);
    return new Map(logs.map((log) => [log, this.#heads.get(log)!]));
  }

  async headsAfter(log: string, limit: number): Promise<readonly Head[]> {
    const later = [...this.#heads].filter(([name]) => name > log).sort(([a], [b]) => (a < b ? -1 : 1));
    return later.slice(0, limit).map(([name, applied]) => ({ log: name, applied }));
  }

  async raiseHeads(heads: readonly Head[]): Promise<void> {
    for (const { log, applied } of heads) this.#heads.set(log, Math.max(applied, this.#heads.get(log) ?? 0));
  }

  async ahead(heads: readonly Head[]): Promise<ReadonlySet<string>> {
    return new Set(heads.filter(({ log, applied }) => this.#store.commits(log).length > applied).map(({ log }) => log));
  }

  async commitsAfter(log: string, position: number, limit: number): Promise<readonly StoredCommit[]> {
    return this.#store.commits(log).slice(position, position + limit);
  }

  async insert(commits: readonly StoredCommit[]): Promise<readonly InsertOutcome[]> {
    return commits.map((commit) => ({ kind: 'held', uid: this.#store.append(commit).uid }));
  }

  async find(collection: string, field: string, values: readonly string[]): Promise<readonly StoredFields[]> {
    const found =
      field === '_id'
        ? values.map((id) => this.#store.document({ collection, id })).filter((stored) => stored !== undefined)
        : this.#store
            .documents(collection)
            .filter((stored) => valuesOf(stored, field).some((value) => values.includes(value)));
    for (const stored of found) if (this.#selfReportedField !== undefined) delete stored[this.#selfReportedField];
    return found;
  }

  async readIndexes(): Promise<void> {}

  indexCheck(): undefined {
    return undefined;
  }

  async write(writes: readonly StateWrite[]): Promise<readonly RefusedWrite[]> {
    for (const write of writes) {
      const stored = this.#store.document(write.address);
      if (write.fields && ((stored?.['rev'] as number | undefined) ?? 0) < write.position) this.#replace(write, stored);
      for (const update of write.selfReports) this.#store.selfReport(write.address, this.#selfReportedField!, update);
    }
    return [];
  }

  async quarantined(): Promise<readonly Quarantined[]> {
    return [...this.#quarantined.values()];
  }

  async quarantine(document: Quarantined): Promise<void> {
    this.#quarantined.set(`${document.address.collection}/${document.address.id}`, document);
  }

  async release({ collection, id }: DocumentAddress): Promise<void> {
    this.#quarantined.delete(`${collection}/${id}`);
  }

  #replace({ address, position, fields, clears }: StateWrite, stored: StoredFields | undefined): void {
    const selfReports = this.#selfReportedField !== undefined && stored?.[this.#selfReportedField];
    const foreign = stored && !clears ? this.#owned.unowned(address.collection, stored) : {};
    this.#store.put(address, {
      ...foreign,
      ...fields,
      rev: position,
      ...(selfReports ? { [this.#selfReportedField]: selfReports } : {}),
    });
  }
}
