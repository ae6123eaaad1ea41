import type { Fault } from '@tidings/kernel';
import type { Method } from '@tidings/contract';

/** An HTTP reply, ready to be written. */
export interface Reply {
  readonly status: number;
  /** JSON text; "" = no body. */
  readonly body: string;
  /** Sent in place of JSON. */
  readonly file?: { readonly type: string; readonly bytes: Uint8Array };
  /**
   * Sent in place of JSON, as it is produced: `length` bytes, or until it ends where that is undefined. A stream still running 10 s after the gateway
   * began to close is cut off.
   */
  readonly stream?: {
    readonly type: string;
    readonly length: number | undefined;
    readonly bytes: AsyncIterable<Uint8Array>;
  };
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a family of methods reports the result of a request: the only place that knows HTTP statuses. */
export interface Envelope {
  success(method: Method, output: unknown): Reply;
  /** @param method undefined if the path names none. */
  fault(fault: Fault, method?: Method): Reply;
  wrongVerb(): Reply;
}

export const METHOD_NOT_ALLOWED = 'Method not allowed';
export const TOO_LARGE = 'Request is too large';
export const TOO_MANY = 'Too many requests';

export const json = (status: number, value: unknown): Reply => ({ status, body: JSON.stringify(value) });

/** A reply with further headers beside its own. */
export const withHeaders = (reply: Reply, headers: NonNullable<Reply['headers']>): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
});
