import type { ConnectionOptions } from 'node:tls';
import type { FailedOpening } from './connection-failure.ts';
import type { Patience } from './liveness.ts';

/**
 * One connection to a provider at a time, renewed when it breaks or the provider drains it. Users of this library know this port
 * only; what speaks HTTP/2 behind it is a {@link Link}.
 */
export interface ProviderConnection {
  /** Whether a request would be written now. Opens the connection if it is not open. */
  ready(): boolean;
  /** Whether the provider can be reached, streams free or not. */
  isOpen(): boolean;
  /**
   * Writes a POST, or returns false where no stream is free or the connection is not open. The body must not change any more. The exchange
   * hears exactly once what became of it, never before this returns.
   */
  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean;
  /** Calls once, when a request may be written or the connection could not be opened. */
  whenReady(run: () => void): void;
  /** Until when it will not try to open, in milliseconds of the system's clock; 0 = it is open, or being opened. */
  downUntil(): number;
  /** Why the last attempt to open it failed; undefined once it is open again. */
  lastFailure(): FailedOpening | undefined;
  /** The number of the connection that a request would be written to: they are counted as they are opened. */
  readonly epoch: number;
  /** Takes a new connection for the next request, if that of `epoch` is still the current one; requests under way end on the old one. */
  renew(epoch: number): void;
  close(): void;
}

/** Header names are in lower case and stand before their values. */
export interface OutgoingRequest {
  readonly path: string;
  /** Headers that many requests share, in an array that they share, too. */
  readonly shared: readonly string[];
  /** Headers of this request alone. */
  readonly own: readonly string[];
}

/** Headers of an answer; those of a 200 are not read. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/** What became of a request. */
export interface Exchange {
  /** When to give up, in milliseconds of the system's clock. */
  readonly deadline: number;
  /** Asked when it is handed to the socket: since it was written the process may have stood still, and somebody else gone on. */
  mayGo(): boolean;
  /**
   * `body` is read for statuses other than 200 only, and cut to 16 KiB; the rest is declined. It is what came of it where the provider
   * resets the stream or does not end it until the deadline.
   */
  answered(status: number, headers: AnswerHeaders, body: string): void;
  failed(cause: FailureCause): void;
}

/** `unprocessed`: the provider has not looked at it, so that repeating is safe. `lost`: it may have. */
export type FailureCause = 'unprocessed' | 'lost' | 'timeout';

export interface ConnectionSettings {
  /** `http://` means HTTP/2 without TLS. */
  readonly url: string;
  /** Certificates of the client and further authorities; without meaning for `http://`. */
  readonly tls?: ConnectionOptions | undefined;
  /** Streams open at a time at most, whatever the provider allows. @default 1000 */
  readonly maxStreams?: number;
  readonly timing?: Partial<ConnectionTiming>;
  /** Called at each attempt to open that failed, with host and port of the address. */
  readonly onFailure?: (failure: FailedOpening, host: string) => void;
}

/** In milliseconds. */
export interface ConnectionTiming extends Patience {
  /** Until when a connection must be open: TCP, TLS and the provider's settings. */
  readonly connectMs: number;
  /** How often links are looked at. */
  readonly watchMs: number;
}

/** One HTTP/2 connection, from its first request to its last. */
export interface Link {
  /** Streams under way. */
  readonly busy: number;
  /** When something was last heard of the provider, in milliseconds of the system's clock. */
  readonly heardAt: number;
  /** Whether the provider has served any request. */
  readonly proven: boolean;
  ready(): boolean;
  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean;
  /** Fails requests whose time is over. */
  expire(now: number): void;
  /** Asks whether the provider is there: the answer shows in `heardAt`. */
  ping(): void;
  /** Takes no further request and closes when the last is answered. */
  drain(): void;
  /** @param error what `closed` tells, unless something else has gone wrong before */
  destroy(error?: Error): void;
}

/** What a link tells. `opened` comes once at most, `closed` once and last. */
export interface LinkEvents {
  /** Requests may be written. */
  opened(): void;
  /** A stream has become free, or the provider allows more. */
  room(): void;
  /** The provider takes no further request. */
  draining(): void;
  /** @param error what ended it, if anything did but the other side's wish */
  closed(error?: Error): void;
}

export type OpenLink = (settings: ConnectionSettings, events: LinkEvents) => Link;

export const MAX_STREAMS = 1000;
/** Bytes of an answer's body that are kept. */
export const BODY_MAX = 16_384;
export const noHeaders: AnswerHeaders = {};
