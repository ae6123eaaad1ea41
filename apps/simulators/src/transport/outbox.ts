import type { ProviderFaults } from '../provider-faults.ts';

/** Answers that must not leave yet: in a black hole nothing is written, and it all flows when the hole ends. */
export class Outbox {
  readonly #faults: Readonly<ProviderFaults>;
  readonly #waiting: (() => void)[] = [];

  constructor(faults: Readonly<ProviderFaults>) {
    this.#faults = faults;
  }

  /** Whether an answer without a delay of its own may leave at once. */
  get isClear(): boolean {
    return !this.#faults.blackhole && this.#faults.latencyMs === 0;
  }

  /** Sends after the delay and the provider's latency, and never inside a black hole. */
  post(delayMs: number, send: () => void): void {
    const wait = delayMs + this.#faults.latencyMs;
    if (wait > 0) setTimeout(() => this.#release(send), wait);
    else this.#release(send);
  }

  /** Sends what has waited for the end of a black hole. */
  flush(): void {
    for (const send of this.#waiting.splice(0)) send();
  }

  #release(send: () => void): void {
    if (this.#faults.blackhole) this.#waiting.push(send);
    else send();
  }
}
