import { type AnswerHeaders, type Exchange, noHeaders } from './http2-port.ts';

/** A request in progress. */
export interface Stream {
  readonly id: number;
  readonly exchange: Exchange;
  /** The exchange has its result. */
  done: boolean;
  status: number;
  headers: AnswerHeaders;
  body: Buffer[] | undefined;
  bodyBytes: number;
  /** Bytes that may be sent beside the initial window, which the provider may change. */
  window: number;
  /** Data that exceeds the windows. */
  unsent: Uint8Array | undefined;
}

export const newStream = (id: number, exchange: Exchange, body: Uint8Array): Stream => ({
  id,
  exchange,
  done: false,
  status: 0,
  headers: noHeaders,
  body: undefined,
  bodyBytes: 0,
  window: 0,
  unsent: body,
});
