import type { Logger } from 'pino';
import type { AttemptStore } from '../attempts/attempts.ts';
import type { Timers } from '../timers.ts';
import type { OutcomeRecord } from './outcome-records.ts';
import type { Publication } from './sending.ts';

export interface OutcomePublisherOptions {
  readonly publish: (record: OutcomeRecord) => Promise<unknown>;
  readonly store: Pick<AttemptStore, 'published'>;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}

const RETRY_DELAY_MS = 1_000;

export class OutcomePublisher {
  readonly #options: OutcomePublisherOptions;
  #stopping = false;

  constructor(options: OutcomePublisherOptions) {
    this.#options = options;
  }

  /** Rejects if the broker does not take it, so that the batch is redelivered. */
  async tryPublish(publication: Publication): Promise<void> {
    if (!publication) return;
    const { publish, store, log } = this.#options;
    await publish(publication);
    if (publication.attemptId === undefined) return;
    await store
      .published(publication.attemptId)
      .catch((error: unknown) => log.warn({ err: error }, 'a published outcome was not noted'));
  }

  /** Results are retried, since no redelivery would publish them. */
  async publishWithRetries(publication: Publication): Promise<void> {
    const { timers, log } = this.#options;
    for (;;) {
      try {
        return await this.tryPublish(publication);
      } catch (error) {
        if (this.#stopping || !publication?.hasResults) throw error;
        log.warn({ err: error }, 'an outcome was not published');
        await new Promise<void>((resolve) => timers.after(RETRY_DELAY_MS, resolve));
      }
    }
  }

  stop(): void {
    this.#stopping = true;
  }
}
