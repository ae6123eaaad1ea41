import type { Fault } from '@tidings/kernel';
import type { Method } from '@tidings/contract';

export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly file?: { readonly type: string; readonly bytes: Uint8Array };
  /** Cut off 10 s after the gateway began to close. */
  readonly stream?: {
    readonly type: string;
    readonly length: number | undefined;
    readonly bytes: AsyncIterable<Uint8Array>;
  };
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Envelope {
  success(method: Method, output: unknown): Reply;
  fault(fault: Fault, method?: Method): Reply;
  wrongVerb(): Reply;
}

export const METHOD_NOT_ALLOWED = 'Method not allowed';
export const TOO_LARGE = 'Request is too large';
export const TOO_MANY = 'Too many requests';

export const json = (status: number, value: unknown): Reply => ({ status, body: JSON.stringify(value) });

export const withHeaders = (reply: Reply, headers: NonNullable<Reply['headers']>): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
});
