import type { LookupFunction } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { OutboundProxy } from '@tidings/runtime';
import type { FailedOpening } from './connection-failure.ts';
import type { Patience } from './liveness.ts';

/**
 * One connection to a provider at a time, reopened when it breaks or the provider drains it. Users of this library depend only on this port; a {@link
 * Link} implements HTTP/2 behind it.
 */
export interface ProviderConnection {
  /** Whether a request can be written now. Opens the connection if it is not open. */
  ready(): boolean;
  /** Whether the connection is open, regardless of free streams. */
  isOpen(): boolean;
  /**
   * Writes a POST, or returns false if no stream is free or the connection is not open. The body must not change afterwards. The exchange receives
   * exactly one result, never before this returns.
   */
  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean;
  /** Calls once, when a request may be written or the connection could not be opened. */
  whenReady(run: () => void): void;
  /** Time until which the connection does not try to open, in milliseconds of `performance.now()`; 0 = open, or opening. */
  downUntil(): number;
  /** The failure of the last attempt to open; undefined once it is open again. */
  lastFailure(): FailedOpening | undefined;
  /** The number of the current connection, counted as they are opened. */
  readonly epoch: number;
  /** Uses a new connection for the next request, if connection `epoch` is still current; requests in progress end on the old one. */
  renew(epoch: number): void;
  close(): void;
}

/** Header names are in lower case and precede their values. */
export interface OutgoingRequest {
  readonly path: string;
  /** Headers shared by many requests, in a shared array. */
  readonly shared: readonly string[];
  /** Headers of this request only. */
  readonly own: readonly string[];
}

/** Headers of an answer; over HTTP/2, the headers of a 200 are not read. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/** A request, and the receiver of its result. */
export interface Exchange {
  /** Deadline, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Rechecked before flushing: another worker may have taken over during a pause. */
  mayGo(): boolean;
  /**
   * `body` is truncated to 16 KiB; the remainder is declined. Over HTTP/2, it is read only for statuses other than 200. It is partial if the provider resets the
   * stream or does not end it until the deadline.
   */
  answered(status: number, headers: AnswerHeaders, body: string): void;
  failed(cause: FailureCause): void;
}

/** `unprocessed`: the provider has not processed the request, so repeating is safe. `lost`: it may have. */
export type FailureCause = 'unprocessed' | 'lost' | 'timeout';

export interface ConnectionSettings {
  /** `http://` means HTTP/2 without TLS. */
  readonly url: string;
  /** Client certificates and additional CAs; not used for `http://`. */
  readonly tls?: ConnectionOptions | undefined;
  /** Resolves names when a connection is opened, e.g. only to addresses that are allowed; literal addresses are not looked up. @default the system's */
  readonly lookup?: LookupFunction | undefined;
  /** The proxy of the network, for addresses of `https:`. With a `lookup` it gets an address that the look-up returned, otherwise the name. @default none */
  readonly proxy?: OutboundProxy | undefined;
  /** Maximum open streams, regardless of the provider's limit. @default 1000 */
  readonly maxStreams?: number;
  readonly timing?: Partial<ConnectionTiming>;
  /** Called for each failed attempt to open, with host and port of the address. */
  readonly onFailure?: (failure: FailedOpening, host: string) => void;
}

/** Time limits of a connection, in milliseconds. */
export interface ConnectionTiming extends Patience {
  /** Time limit for opening a connection: TCP, TLS and the provider's settings. */
  readonly connectMs: number;
  /** Interval of checks. */
  readonly watchMs: number;
}

/** One HTTP/2 connection, from its first request to its last. */
export interface Link {
  /** Number of streams in progress. */
  readonly busy: number;
  /** Time of the last sign of life of the provider, in milliseconds of `performance.now()`. */
  readonly heardAt: number;
  /** Whether the provider has served a request. */
  readonly proven: boolean;
  ready(): boolean;
  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean;
  /** Fails requests past their deadline. */
  expire(now: number): void;
  /** Sends a PING: the answer updates `heardAt`. */
  ping(): void;
  /** Accepts no further request and closes after the last answer. */
  drain(): void;
  /** @param error the error for `closed`, unless another one occurred before */
  destroy(error?: Error): void;
}

/** The events of a link. `opened` occurs at most once, `closed` once and last. */
export interface LinkEvents {
  /** Requests may be written. */
  opened(): void;
  /** A stream is free, or the provider permits more. */
  room(): void;
  /** The provider accepts no further request. */
  draining(): void;
  /** @param error the cause, unless the peer closed on purpose */
  closed(error?: Error): void;
}

export type OpenLink = (settings: ConnectionSettings, events: LinkEvents) => Link;

export const MAX_STREAMS = 1000;
/** Maximum bytes of an answer's body. */
export const BODY_MAX = 16_384;
export const noHeaders: AnswerHeaders = {};
