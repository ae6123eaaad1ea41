import type { IncomingHttpHeaders } from 'node:http';

/** The providers that the product speaks to. */
export type ProviderName = 'apns' | 'fcm' | 'google-oauth';

/** One request, read to its end, however it travelled. */
export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The connection that carried it: what is bound to a connection is remembered by this object. */
  readonly connection: object;
}

export interface Answer {
  readonly does: 'answer';
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Empty: the reply ends with its headers. */
  readonly body: string;
  readonly delayMs?: number;
  /** Announces the end of the connection behind this reply. */
  readonly goaway?: boolean;
}

/**
 * What the wire shows of a decision. `silence` never answers; `reset` ends the stream, with REFUSED_STREAM when the
 * request counts as not processed; `disconnect` resets the TCP connection; `goaway` leaves the stream above the last
 * one that the connection still serves.
 */
export type Reaction =
  | Answer
  | { readonly does: 'silence' }
  | { readonly does: 'reset'; readonly processed: boolean }
  | { readonly does: 'disconnect' }
  | { readonly does: 'goaway' };

/** A provider decides and writes the ledger; the transports carry out what it decided. */
export interface Provider {
  readonly name: string;
  /** Must not throw, whatever the request holds. */
  handle(request: ProviderRequest): Reaction;
  /** Forgets what it remembers of device tokens. */
  reset(): void;
}
