import { type ChannelDefinition, localResults, sent } from '@tidings/channels';
import { retryAfterMs } from '@tidings/delivery';
import type { AnswerHeaders, Exchange, FailureCause, ProviderConnection } from '@tidings/http2';
import type { PushListener } from './channel-port.ts';

export interface ExchangeContext {
  readonly connection: ProviderConnection;
  readonly now: () => number;
  readonly refusal: ChannelDefinition['refusal'];
  readonly readsSuccess?: boolean | undefined;
  credential: string;
  refused: string;
}

export class PushExchange implements Exchange {
  readonly deadline: number;
  readonly #tag: number;
  readonly #listener: PushListener;
  readonly #context: ExchangeContext;
  readonly #epoch: number;
  readonly #credential: string;

  constructor(tag: number, deadline: number, listener: PushListener, context: ExchangeContext) {
    this.#tag = tag;
    this.deadline = deadline;
    this.#listener = listener;
    this.#context = context;
    this.#epoch = context.connection.epoch;
    this.#credential = context.credential;
  }

  mayFlush(): boolean {
    return this.#listener.mayFlush();
  }

  answered(status: number, headers: AnswerHeaders, body: string): void {
    const { connection, now, refusal, readsSuccess = false } = this.#context;
    if (status === 200 && !readsSuccess) {
      this.#listener.answered(this.#tag, sent);
      return;
    }
    const { result, since, replacement } = refusal(status, body, headers);
    if (result.then.do === 'once') this.#context.refused = this.#credential;
    if (result.then.do === 'retry' && result.then.reconnect) connection.renew(this.#epoch);
    this.#listener.answered(this.#tag, result, {
      retryAfterMs: retryAfterMs(status, headers['retry-after'], now()),
      since,
      replacement,
    });
  }

  failed(cause: FailureCause): void {
    switch (cause) {
      case 'unprocessed':
        this.#listener.unprocessed(this.#tag);
        break;
      case 'lost':
        this.#listener.answered(this.#tag, localResults.connectionLost);
        break;
      case 'timeout':
        this.#listener.answered(this.#tag, localResults.timeout);
        break;
    }
  }
}
