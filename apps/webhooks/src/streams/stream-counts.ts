import type { StreamMetrics } from '../stream-metrics.ts';
import type { DeferredEvents } from './deferred/deferred-events.ts';
import type { UnackedEvents } from './unacked.ts';

/** Once per turn of the event loop: labels cost more than the rest of an acknowledgement. */
export class StreamCounts {
  readonly #metrics: StreamMetrics;
  readonly #unacked: Pick<UnackedEvents, 'size'>;
  readonly #deferred: Pick<DeferredEvents, 'summary'>;
  #acknowledged = 0;
  #counted = 0;

  constructor(metrics: StreamMetrics, unacked: Pick<UnackedEvents, 'size'>, deferred: Pick<DeferredEvents, 'summary'>) {
    this.#metrics = metrics;
    this.#unacked = unacked;
    this.#deferred = deferred;
  }

  acked(): void {
    this.#acknowledged++;
  }

  update(): void {
    if (this.#acknowledged > 0) this.#metrics.ended('acked', this.#acknowledged);
    this.#acknowledged = 0;
    const { size } = this.#unacked;
    if (size !== this.#counted) this.#metrics.unacked(size - this.#counted);
    this.#counted = size;
    this.#metrics.deferred(this, this.#deferred.summary);
  }

  end(): void {
    this.update();
    this.#metrics.unacked(-this.#counted);
    this.#metrics.deferred(this, undefined);
  }
}
