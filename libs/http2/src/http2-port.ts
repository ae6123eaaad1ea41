import type { LookupFunction } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { OutboundProxy } from '@tidings/runtime';
import type { FailedOpening } from './connection-failure.ts';
import type { SilenceLimits } from './liveness.ts';

export interface ProviderConnection {
  ready(): boolean;
  isOpen(): boolean;
  /** The body must not change afterwards. Exactly one result follows, never before this returns. */
  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean;
  /** Calls once, also if the connection could not be opened. */
  whenReady(run: () => void): void;
  /** Milliseconds of `performance.now()`; 0 = open or opening. */
  downUntil(): number;
  lastFailure(): FailedOpening | undefined;
  readonly epoch: number;
  /** Requests in progress end on the old connection. */
  renew(epoch: number): void;
  close(): void;
}

export interface OutgoingRequest {
  readonly path: string;
  readonly shared: readonly string[];
  readonly own: readonly string[];
}

export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

export interface Exchange {
  /** Milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Rechecked before flushing: another worker may have taken over during a pause. */
  mayFlush(): boolean;
  /** `body` has at most 16 KiB; over HTTP/2 it is empty for a 200. */
  answered(status: number, headers: AnswerHeaders, body: string): void;
  failed(cause: FailureCause): void;
}

/** `unprocessed`: repeating is safe. `lost`: the provider may have processed it. */
export type FailureCause = 'unprocessed' | 'lost' | 'timeout';

export interface ConnectionSettings {
  readonly url: string;
  readonly tls?: ConnectionOptions | undefined;
  /** Literal addresses are not looked up. @default the system's */
  readonly lookup?: LookupFunction | undefined;
  /** The proxy gets the name of an `https:` address, unless there is a `lookup`. */
  readonly proxy?: OutboundProxy | undefined;
  readonly maxStreams?: number;
  readonly timing?: Partial<ConnectionTiming>;
  readonly onFailure?: (failure: FailedOpening, host: string) => void;
}

export interface ConnectionTiming extends SilenceLimits {
  readonly connectMs: number;
  readonly watchMs: number;
}

export interface Link {
  readonly busy: number;
  readonly receivedAt: number;
  readonly proven: boolean;
  ready(): boolean;
  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean;
  expire(now: number): void;
  ping(): void;
  drain(): void;
  destroy(error?: Error): void;
}

/** `opened` occurs at most once, `closed` once and last. */
export interface LinkEvents {
  opened(): void;
  room(): void;
  draining(): void;
  closed(error?: Error): void;
}

export type OpenLink = (settings: ConnectionSettings, events: LinkEvents) => Link;

export const MAX_STREAMS = 1000;
export const BODY_MAX = 16_384;
export const noHeaders: AnswerHeaders = {};
