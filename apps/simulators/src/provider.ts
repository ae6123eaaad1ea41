import type { Channel } from '@tidings/kernel';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Outbox } from './transport/outbox.ts';

/** The simulated providers: one for every channel, the issuer of Google's access tokens, and an SMSC beside the HTTP provider of SMS. */
export type ProviderName = Channel | 'google-oauth' | 'smpp';

/** One complete request, over either transport. */
export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Identity of its connection, for state that is bound to a connection. */
  readonly connection: object;
}

export interface Answer {
  readonly does: 'answer';
  readonly status: number;
  /** Names and values alternately. */
  readonly headers: readonly string[];
  /** Empty: the reply ends with its headers. */
  readonly body: string;
  readonly delayMs?: number;
  /** Announces the end of the connection after this reply. */
  readonly goaway?: boolean;
}

/**
 * The visible effect of a decision. `silence` never answers; `reset` ends the stream, with REFUSED_STREAM if the request counts as unprocessed;
 * `disconnect` resets the TCP connection; `goaway` leaves the stream above the last one that the connection still serves.
 */
export type Reaction =
  | Answer
  | { readonly does: 'silence' }
  | { readonly does: 'reset'; readonly processed: boolean }
  | { readonly does: 'disconnect' }
  | { readonly does: 'goaway' };

/** A provider with a protocol of its own over TCP. */
export interface SocketProvider {
  readonly name: string;
  /** Its delayed replies. */
  readonly outbox: Outbox;
  /** Serves a connection, whose errors are handled. */
  accept(socket: Socket): void;
  /** Clears its memory of addresses. */
  reset(): void;
}

/** A provider decides on requests and writes the ledger; the transports carry out its decisions. */
export interface Provider {
  readonly name: string;
  /** Must not throw, whatever the request contains. */
  handle(request: ProviderRequest): Reaction;
  /** Clears its memory of device tokens. */
  reset(): void;
}
