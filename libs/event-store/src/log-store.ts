import type { SelfReportUpdate } from './self-reports.ts';
import type { DocumentAddress } from './event-log-port.ts';
import type { IndexCheck, StoredFields } from './storable.ts';

/** The documents that one event of a commit is applied to, if the event does not name them independently of its kind. */
export interface EventDocuments {
  readonly index: number;
  readonly addresses: readonly DocumentAddress[];
}

/** A stored commit; `uid` identifies its writer when the answer to its insert was lost. */
export interface StoredCommit {
  readonly log: string;
  readonly position: number;
  readonly uid: string;
  readonly at: Date;
  readonly events: readonly Uint8Array[];
  readonly documents?: readonly EventDocuments[] | undefined;
  /** See `Commit`: its publisher passes it on. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

export interface Head {
  readonly log: string;
  /** All commits up to this position are applied to the states. */
  readonly applied: number;
}

/** The outcome of one commit's insert: the uid that has its position, no answer, or a permanent refusal. */
export type InsertOutcome =
  | { readonly kind: 'held'; readonly uid: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly error: unknown };

/** One document's share of a group: its new state, self-reports, or both. */
export interface StateWrite {
  readonly address: DocumentAddress;
  readonly log: string;
  /** The commit of this state: a document with the same or a later `rev` is not changed. */
  readonly position: number;
  /** All fields of the state; undefined for self-reports only. */
  readonly fields: StoredFields | undefined;
  /** The document that the state was decided on; its other fields are removed if this version owns them. */
  readonly before: StoredFields | undefined;
  /** All other fields except the self-reports are removed, whoever owns them. */
  readonly clears: boolean;
  readonly selfReports: readonly SelfReportUpdate[];
  /** An upper bound of the size. */
  readonly bytes: number;
}

/** A write that the store refuses for good. */
export interface RefusedWrite {
  readonly write: StateWrite;
  readonly error: unknown;
}

/** A document that lacks commits from `position` on, because the store or `evolve` refused them. */
export interface Quarantined {
  readonly address: DocumentAddress;
  readonly log: string;
  readonly position: number;
  readonly reason: string;
  /** Whether the next event is of a kind that the quarantining version does not have: a newer version continues from there. */
  readonly isUnknown: boolean;
}

/**
 * The store of event logs, as writers need it. A call rejects with {@link UnknownOutcome} if repeating it may help. A write is durable when it
 * resolves, and may be repeated.
 */
export interface LogStore {
  /** The heads of these logs; creates missing ones, so that every log with commits has a head. */
  heads(logs: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Heads ordered by log, after `log`, at most `limit`. */
  headsAfter(log: string, limit: number): Promise<readonly Head[]>;
  /** Heads never decrease. */
  raiseHeads(heads: readonly Head[]): Promise<void>;
  /** The logs that have a commit after the given position. */
  ahead(heads: readonly Head[]): Promise<ReadonlySet<string>>;
  /** Commits of a log after `position` that can no longer be lost, in order and without gaps, at most `limit`. */
  commitsAfter(log: string, position: number, limit: number): Promise<readonly StoredCommit[]>;
  /** One attempt for all commits, each independent; never rejects. */
  insert(commits: readonly StoredCommit[]): Promise<readonly InsertOutcome[]>;
  /** All documents of a collection with one of the values in `field`, without self-reports. */
  find(collection: string, field: string, values: readonly string[]): Promise<readonly StoredFields[]>;
  /** Updates {@link indexCheck}. */
  readIndexes(collections: readonly string[]): Promise<void>;
  indexCheck(collection: string): IndexCheck | undefined;
  /** Returns the writes that are refused for good; the others are written. */
  write(writes: readonly StateWrite[]): Promise<readonly RefusedWrite[]>;
  quarantined(): Promise<readonly Quarantined[]>;
  quarantine(document: Quarantined): Promise<void>;
  release(address: DocumentAddress): Promise<void>;
}
