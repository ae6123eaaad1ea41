import type { Logger } from 'pino';
import type { AttemptStore } from '../attempts/attempts.ts';
import type { Timers } from '../timers.ts';
import type { OutcomeRecord } from './outcome-records.ts';
import type { Publication } from './sending.ts';

export interface OutcomePublisherOptions {
  /** Resolves when an outcome is durable. */
  readonly publish: (record: OutcomeRecord) => Promise<unknown>;
  readonly store: Pick<AttemptStore, 'published'>;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}

const AGAIN_MS = 1_000;

/** Publishes outcomes that are stored. */
export class OutcomePublisher {
  readonly #options: OutcomePublisherOptions;
  #stopping = false;

  constructor(options: OutcomePublisherOptions) {
    this.#options = options;
  }

  /** Rejects if the broker does not take the outcome: the batch of its slice is delivered again then, and the outcome is published with it. */
  async once(publication: Publication): Promise<void> {
    if (!publication) return;
    const { publish, store, log } = this.#options;
    await publish(publication);
    if (publication.keptFor === undefined) return;
    // Otherwise the search for orphans publishes it once more.
    await store
      .published(publication.keptFor)
      .catch((error: unknown) => log.warn({ err: error }, 'a published outcome was not noted'));
  }

  /**
   * Publishes an outcome of a slice that was deferred. One with results is repeated until the broker takes it, since no redelivered batch would ask for
   * it. Rejects if the broker does not take a deferral without results, or while the dispatcher stops: a later outcome has the same then.
   */
  async surely(publication: Publication): Promise<void> {
    const { timers, log } = this.#options;
    for (;;) {
      try {
        return await this.once(publication);
      } catch (error) {
        if (this.#stopping || !publication?.hasResults) throw error;
        log.warn({ err: error }, 'an outcome was not published');
        await new Promise<void>((resolve) => timers.after(AGAIN_MS, resolve));
      }
    }
  }

  /** Gives up at the next failure. */
  stop(): void {
    this.#stopping = true;
  }
}
