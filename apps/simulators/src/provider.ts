import type { Channel } from '@tidings/kernel';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Outbox } from './transport/outbox.ts';

/** One per channel, Google's issuer of tokens, and an SMSC beside the HTTP provider of SMS. */
export type ProviderName = Channel | 'google-oauth' | 'smpp';

export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** For state that is bound to a connection. */
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

/** `reset` uses REFUSED_STREAM if the request counts as unprocessed; `goaway` leaves the stream out of those still served. */
export type Reaction =
  | Answer
  | { readonly does: 'silence' }
  | { readonly does: 'reset'; readonly processed: boolean }
  | { readonly does: 'disconnect' }
  | { readonly does: 'goaway' };

export interface SocketProvider {
  readonly name: string;
  readonly outbox: Outbox;
  /** Errors of the connection are handled. */
  accept(socket: Socket): void;
  reset(): void;
}

/** Decides on requests and writes the ledger; transports carry out its decisions. */
export interface Provider {
  readonly name: string;
  /** Must not throw, whatever the request contains. */
  handle(request: ProviderRequest): Reaction;
  reset(): void;
}
