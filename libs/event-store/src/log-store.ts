import type { SelfReportUpdate } from './self-reports.ts';
import type { DocumentAddress } from './event-log-port.ts';
import type { IndexCheck, StoredFields } from './storable.ts';

/** The documents that one event of a commit applies to, where the event does not name them whatever its kind is. */
export interface EventDocuments {
  readonly index: number;
  readonly addresses: readonly DocumentAddress[];
}

/** A commit as it is stored; `uid` tells whose it is when the answer to its insert was lost. */
export interface StoredCommit {
  readonly log: string;
  readonly n: number;
  readonly uid: string;
  readonly at: Date;
  readonly events: readonly Uint8Array[];
  readonly documents?: readonly EventDocuments[] | undefined;
  /** See `Commit`: whoever publishes it carries it on. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

export interface Head {
  readonly log: string;
  /** All commits up to this number are applied to the states. */
  readonly applied: number;
}

/** What became of one commit's insert: its number is held by this uid, no answer came, or the store will never take it. */
export type InsertOutcome =
  | { readonly kind: 'held'; readonly uid: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly error: unknown };

/** One document's share of a group: its new state, self-reports, or both. */
export interface StateWrite {
  readonly address: DocumentAddress;
  readonly log: string;
  /** The commit whose state this is: a document with the same or a later `rev` is left as it is. */
  readonly n: number;
  /** All fields of the state; undefined where there are only self-reports. */
  readonly fields: StoredFields | undefined;
  /** The document that the state was decided on; its other fields vanish as far as this version owns them. */
  readonly before: StoredFields | undefined;
  /** All other fields vanish but the self-reports, whoever owns them. */
  readonly clears: boolean;
  readonly selfReports: readonly SelfReportUpdate[];
  /** An upper bound of the size. */
  readonly bytes: number;
}

/** A write that the store will never take. */
export interface RefusedWrite {
  readonly write: StateWrite;
  readonly error: unknown;
}

/** A document that lacks commits from `n` on, because the store or `evolve` refused them. */
export interface Quarantined {
  readonly address: DocumentAddress;
  readonly log: string;
  readonly n: number;
  readonly reason: string;
  /** Its next event is of a kind that the version which put it here does not have: a newer one goes on from there. */
  readonly isUnknown: boolean;
}

/**
 * The store of event logs, as their writers need it. A call rejects with {@link UnknownOutcome} if repeating it may help. A write is durable
 * when it resolves, and may be repeated.
 */
export interface LogStore {
  /** The heads of these logs; makes those that are missing, so that no log has commits and no head. */
  heads(logs: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Heads in order of log after `log`, at most `limit`. */
  headsAfter(log: string, limit: number): Promise<readonly Head[]>;
  /** Heads never go back. */
  raiseHeads(heads: readonly Head[]): Promise<void>;
  /** Those of the logs that have the commit after the given number. */
  ahead(heads: readonly Head[]): Promise<ReadonlySet<string>>;
  /** Commits of a log after `n` that can no longer be lost, in order and without gaps, at most `limit`. */
  commitsAfter(log: string, n: number, limit: number): Promise<readonly StoredCommit[]>;
  /** One attempt for all, each on its own; never rejects. */
  insert(commits: readonly StoredCommit[]): Promise<readonly InsertOutcome[]>;
  /** All documents of a collection with one of the values in `field`, without self-reports. */
  find(collection: string, field: string, values: readonly string[]): Promise<readonly StoredFields[]>;
  /** Makes {@link indexCheck} current. */
  readIndexes(collections: readonly string[]): Promise<void>;
  indexCheck(collection: string): IndexCheck | undefined;
  /** Returns what it will never take; the rest is written. */
  write(writes: readonly StateWrite[]): Promise<readonly RefusedWrite[]>;
  quarantined(): Promise<readonly Quarantined[]>;
  quarantine(document: Quarantined): Promise<void>;
  release(address: DocumentAddress): Promise<void>;
}
