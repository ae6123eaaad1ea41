import { trustedTime } from '@tidings/kernel';
import type { Subscription } from '../subscriptions/subscription.ts';
import { failedAgain, type FailingPeriod, isTooLong } from './failing-period.ts';
import type { StreamDeps } from './stream-deps.ts';

export class FailingSubscriber {
  readonly #deps: Pick<StreamDeps, 'clock' | 'log' | 'disable'>;
  #period: FailingPeriod | undefined;
  #isDisabling = false;

  constructor(deps: Pick<StreamDeps, 'clock' | 'log' | 'disable'>, period: FailingPeriod | undefined) {
    this.#deps = deps;
    this.#period = period;
  }

  get period(): FailingPeriod | undefined {
    return this.#period;
  }

  recovered(): void {
    this.#period = undefined;
  }

  again(reason: string, subscription: Subscription): void {
    const { clock, log, disable } = this.#deps;
    this.#period = failedAgain(this.#period, trustedTime(clock));
    if (this.#isDisabling || !isTooLong(this.#period)) return;
    this.#isDisabling = true;
    log.warn({ reason }, 'subscription disabled after 72 hours of failures');
    disable(subscription, reason)
      .catch((error: unknown) => log.warn({ err: error }, 'subscription not disabled'))
      .finally(() => (this.#isDisabling = false));
  }
}
