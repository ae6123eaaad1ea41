import type { StoredFields } from '../storable.ts';
import { getOrAdd } from '../get-or-add.ts';
import { applySelfReports, type SelfReportUpdate } from '../self-reports.ts';
import type { DocumentAddress } from '../event-log-port.ts';
import type { Quarantined, StoredCommit } from '../log-store.ts';

export class MemoryStore {
  readonly #commits = new Map<string, StoredCommit[]>();
  readonly #documents = new Map<string, Map<string, StoredFields>>();
  readonly #heads = new Map<string, Map<string, number>>();
  readonly #quarantined = new Map<string, Map<string, Quarantined>>();

  heads(category: string): Map<string, number> {
    return getOrAdd(this.#heads, category, () => new Map());
  }

  quarantined(category: string): Map<string, Quarantined> {
    return getOrAdd(this.#quarantined, category, () => new Map());
  }

  commits(log: string): readonly StoredCommit[] {
    return this.#commits.get(log) ?? [];
  }

  append(commit: StoredCommit): StoredCommit {
    const commits = this.#commits.get(commit.log) ?? [];
    if (commit.position > commits.length + 1)
      throw new Error(`${commit.log}: commit ${commit.position} would leave a gap`);
    this.#commits.set(commit.log, commits);
    return (commits[commit.position - 1] ??= commit);
  }

  document({ collection, id }: DocumentAddress): Record<string, unknown> | undefined {
    const stored = this.#documents.get(collection)?.get(id);
    return stored && structuredClone(stored);
  }

  documents(collection: string): Record<string, unknown>[] {
    return [...(this.#documents.get(collection)?.values() ?? [])].map((stored) => structuredClone(stored));
  }

  put({ collection, id }: DocumentAddress, fields: StoredFields): void {
    getOrAdd(this.#documents, collection, () => new Map()).set(id, { ...(defined(fields) as StoredFields), _id: id });
  }

  selfReport(address: DocumentAddress, selfReportedField: string, update: SelfReportUpdate): void {
    const stored = this.document(address);
    if (!stored) return;
    const selfReports = (stored[selfReportedField] ?? {}) as Record<string, unknown>;
    this.put(address, { ...stored, [selfReportedField]: applySelfReports(selfReports, update) });
  }
}

function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => (item === undefined ? null : defined(item)));
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (!isPlain(value)) return structuredClone(value);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [name, defined(inner)]),
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
