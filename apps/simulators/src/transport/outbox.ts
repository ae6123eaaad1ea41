import type { ProviderFaults } from '../provider-faults.ts';

/** In a black hole nothing is written; all flows when the hole ends. */
export class Outbox {
  readonly #faults: Readonly<ProviderFaults>;
  readonly #waiting: (() => void)[] = [];

  constructor(faults: Readonly<ProviderFaults>) {
    this.#faults = faults;
  }

  get isClear(): boolean {
    return !this.#faults.blackhole && this.#faults.latencyMs === 0;
  }

  post(delayMs: number, send: () => void): void {
    const wait = delayMs + this.#faults.latencyMs;
    if (wait > 0) setTimeout(() => this.pass(send), wait);
    else this.pass(send);
  }

  /** Without latency: keeps a connection alive, unlike answers. */
  pass(send: () => void): void {
    if (this.#faults.blackhole) this.#waiting.push(send);
    else send();
  }

  flush(): void {
    for (const send of this.#waiting.splice(0)) send();
  }
}
