import { definitions, localResults, sent, type SendResult } from '@tidings/channels';
import { retryAfterMs } from '@tidings/delivery';
import type { AnswerHeaders, Exchange, FailureCause } from '@tidings/http2';
import type { Clock } from '@tidings/kernel';
import type { PushListener } from '../channel-port.ts';
import type { OriginThrottles } from './origin-throttles.ts';
import type { PushService } from './push-services.ts';

export interface RouteContext {
  readonly origin: string;
  readonly service: PushService;
  readonly throttles: OriginThrottles;
  readonly clock: Clock;
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

export class WebPushExchange implements Exchange {
  readonly deadline: number;
  readonly #tag: number;
  readonly #listener: PushListener;
  readonly #route: RouteContext;

  constructor(tag: number, deadline: number, listener: PushListener, route: RouteContext) {
    this.#tag = tag;
    this.deadline = deadline;
    this.#listener = listener;
    this.#route = route;
  }

  mayFlush(): boolean {
    return this.#listener.mayFlush();
  }

  answered(status: number, headers: AnswerHeaders, body: string): void {
    const { origin, service, throttles, clock } = this.#route;
    service.inFlight--;
    service.isProven = true;
    if (isSuccess(status)) {
      throttles.answered(origin);
      this.#listener.answered(this.#tag, sent);
      return;
    }
    const { result } = definitions.webpush.refusal(status, body);
    const waitMs = retryAfterMs(status, headers['retry-after'], clock.now());
    if (waitMs > 0) throttles.close(origin, waitMs, `${result.code} ${result.name}`);
    else throttles.answered(origin);
    this.#listener.answered(this.#tag, result, { retryAfterMs: waitMs });
  }

  failed(cause: FailureCause): void {
    const { origin, service, throttles } = this.#route;
    service.inFlight--;
    throttles.returnProbe(origin);
    if (cause === 'unprocessed') this.#listener.unprocessed(this.#tag);
    else this.#listener.answered(this.#tag, results[cause]);
  }
}

const results: Readonly<Record<'lost' | 'timeout', SendResult>> = {
  lost: localResults.connectionLost,
  timeout: localResults.timeout,
};
