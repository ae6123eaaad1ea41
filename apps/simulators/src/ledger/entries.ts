export const ACCEPTED = 'accepted';

/** Strings are empty if the request had none. */
export interface Push {
  readonly token: string;
  /** The statistics hash `p`; its first four parts identify the message. */
  readonly hash: string;
  readonly collapseId: string;
  /** Chosen by the sender (`apns-id`). */
  readonly id: string;
  readonly payload: Buffer;
}

export interface LedgerEntry {
  row: number;
  token: string;
  id: string;
  collapseId: string;
  hash: string;
  status: number;
  reason: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Set only if payloads are kept. */
  payload?: string;
}

export interface DeviceRecord {
  token: string;
  accepted: number;
  /** Distinct, ordered by first push, among retained entries. */
  collapseIds: string[];
  hashes: string[];
}

export interface LedgerSummary {
  accepted: number;
  refused: number;
  byReason: Record<string, number>;
  /** Distinct, with at least one accepted push. */
  tokens: number;
  /** Accepted beyond the first for the same token and message. */
  duplicates: number;
  /** With the same collapse id as the first push. */
  masked: number;
  /** Accepted without a statistics hash: duplicates are undetectable. */
  unidentified: number;
  /** Evicted from memory; counts still include them. */
  forgotten: { entries: number; pairs: number };
}

export interface EntryFilter {
  token?: string | undefined;
  reason?: string | undefined;
  /** @default 100 */
  limit?: number | undefined;
  /** @default 0 */
  offset?: number | undefined;
}

export interface LedgerOptions {
  /** Per provider. @default 5,000,000 */
  maxEntries?: number | undefined;
  /** For small tests. @default false */
  keepPayloads?: boolean | undefined;
}
