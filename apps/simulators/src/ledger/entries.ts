export const ACCEPTED = 'accepted';

/** One push as it reached a provider. Texts are empty when the request had none. */
export interface Push {
  readonly token: string;
  /** The statistics hash `p`; its first four parts name the message. */
  readonly hash: string;
  readonly collapseId: string;
  /** The id that the caller gave the push (`apns-id`). */
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
  /** Only when payloads are kept. */
  payload?: string;
}

export interface DeviceRecord {
  token: string;
  accepted: number;
  /** Distinct, in the order of their first push; from the entries still held. */
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
  /** Of these, with the same collapse id as the first. */
  masked: number;
  /** Accepted without a statistics hash: cannot be checked for duplicates. */
  unidentified: number;
  /** Entries and (token, message) pairs beyond the ledger's memory; counts still include them. */
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
  /** Entries remembered for each provider. @default 5,000,000 */
  maxEntries?: number | undefined;
  /** Keeps the payload of each entry as text; for small tests. @default false */
  keepPayloads?: boolean | undefined;
}
