import { type AnswerHeaders, type Exchange, noHeaders } from './http2-port.ts';

export interface Stream {
  readonly id: number;
  readonly exchange: Exchange;
  done: boolean;
  status: number;
  headers: AnswerHeaders;
  body: Buffer[] | undefined;
  bodyBytes: number;
  window: number;
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
