import type { SelfReportUpdate } from './self-reports.ts';
import type { DocumentAddress } from './event-log-port.ts';
import type { IndexCheck, StoredFields } from './storable.ts';

export interface EventDocuments {
  readonly index: number;
  readonly addresses: readonly DocumentAddress[];
}

export interface StoredCommit {
  readonly log: string;
  readonly position: number;
  readonly uid: string;
  readonly at: Date;
  readonly events: readonly Uint8Array[];
  readonly documents?: readonly EventDocuments[] | undefined;
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

export interface Head {
  readonly log: string;
  readonly applied: number;
}

export type InsertOutcome =
  | { readonly kind: 'held'; readonly uid: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly error: unknown };

export interface StateWrite {
  readonly address: DocumentAddress;
  readonly log: string;
  readonly position: number;
  readonly fields: StoredFields | undefined;
  readonly before: StoredFields | undefined;
  readonly clears: boolean;
  readonly selfReports: readonly SelfReportUpdate[];
  readonly bytes: number;
}

export interface RefusedWrite {
  readonly write: StateWrite;
  readonly error: unknown;
}

export interface Quarantined {
  readonly address: DocumentAddress;
  readonly log: string;
  readonly position: number;
  readonly reason: string;
  readonly isUnknown: boolean;
}

/** Repeatable. Rejects with {@link UnknownOutcome} if repeating may help. */
export interface LogStore {
  /** Creates missing heads, so that every log with commits has one. */
  heads(logs: readonly string[]): Promise<ReadonlyMap<string, number>>;
  headsAfter(log: string, limit: number): Promise<readonly Head[]>;
  raiseHeads(heads: readonly Head[]): Promise<void>;
  ahead(heads: readonly Head[]): Promise<ReadonlySet<string>>;
  /** Commits that cannot be lost any more. */
  commitsAfter(log: string, position: number, limit: number): Promise<readonly StoredCommit[]>;
  /** One attempt for all, each independent; never rejects. */
  insert(commits: readonly StoredCommit[]): Promise<readonly InsertOutcome[]>;
  find(collection: string, field: string, values: readonly string[]): Promise<readonly StoredFields[]>;
  readIndexes(collections: readonly string[]): Promise<void>;
  indexCheck(collection: string): IndexCheck | undefined;
  write(writes: readonly StateWrite[]): Promise<readonly RefusedWrite[]>;
  quarantined(): Promise<readonly Quarantined[]>;
  quarantine(document: Quarantined): Promise<void>;
  release(address: DocumentAddress): Promise<void>;
}
