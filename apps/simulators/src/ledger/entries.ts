export const ACCEPTED = 'accepted';

/** A push as a provider received it. Strings are empty if the request had none. */
export interface Push {
  readonly token: string;
  /** The statistics hash `p`; its first four parts identify the message. */
  readonly hash: string;
  readonly collapseId: string;
  /** The id chosen by the sender of the push (`apns-id`). */
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
  /** Distinct, ordered by first push; from the retained entries. */
  collapseIds: string[];
  hashes: string[];
}

export interface LedgerSummary {
  accepted: number;
  refused: number;
  byReason: Record<string, number>;
  /** Distinct tokens that accepted at least one push. */
  tokens: number;
  /** Pushes accepted beyond the first for the same token and message. */
  duplicates: number;
  /** Duplicates with the same collapse id as the first push. */
  masked: number;
  /** Accepted without a statistics hash: duplicates are undetectable. */
  unidentified: number;
  /** Entries and (token, message) pairs evicted from the ledger's memory; counts still include them. */
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
  /** Entries retained for each provider. @default 5,000,000 */
  maxEntries?: number | undefined;
  /** Keeps the payload of each entry as a string; for small tests. @default false */
  keepPayloads?: boolean | undefined;
}
