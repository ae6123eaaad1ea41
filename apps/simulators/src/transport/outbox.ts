import type { ProviderFaults } from '../provider-faults.ts';

/** Delayed replies: in a black hole nothing is written, and all of it flows when the hole ends. */
export class Outbox {
  readonly #faults: Readonly<ProviderFaults>;
  readonly #waiting: (() => void)[] = [];

  constructor(faults: Readonly<ProviderFaults>) {
    this.#faults = faults;
  }

  /** Whether a reply without a delay may be sent at once. */
  get isClear(): boolean {
    return !this.#faults.blackhole && this.#faults.latencyMs === 0;
  }

  /** Sends after the delay and the provider's latency, but never inside a black hole. */
  post(delayMs: number, send: () => void): void {
    const wait = delayMs + this.#faults.latencyMs;
    if (wait > 0) setTimeout(() => this.pass(send), wait);
    else this.pass(send);
  }

  /** Sends without the provider's latency, but never inside a black hole: what the connection is kept by, as opposed to answers. */
  pass(send: () => void): void {
    if (this.#faults.blackhole) this.#waiting.push(send);
    else send();
  }

  /** Sends the replies held by a black hole. */
  flush(): void {
    for (const send of this.#waiting.splice(0)) send();
  }
}
