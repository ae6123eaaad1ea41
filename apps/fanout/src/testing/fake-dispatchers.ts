import { channelNames } from '@tidings/channels';
import { dispatcherGroup, lanes, messageChunkKey } from '@tidings/delivery';
import { batchesTopic, SendBatch, topicNames, SliceOutcome } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import type { Broker } from '@tidings/streaming';
import type { TestClock } from '@tidings/testing';

export class FakeDispatchers {
  readonly emissions = new Map<string, number[][]>();
  readonly batches: SendBatch[] = [];
  readonly refused = new Set<string>();
  readonly sent = new Map<string, number>();
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #deferred: { readonly until: number; readonly outcome: SliceOutcome }[] = [];
  readonly #broker: Broker;
  readonly #clock: TestClock;
  readonly #chance: () => number;

  constructor(broker: Broker, clock: TestClock, chance: () => number = () => 1) {
    this.#broker = broker;
    this.#clock = clock;
    this.#chance = chance;
  }

  async start(): Promise<this> {
    for (const channel of channelNames()) {
      for (const lane of lanes) {
        const subscription = await this.#broker.subscribe({
          group: dispatcherGroup(channel, lane),
          topics: [batchesTopic(channel, lane === 'direct')],
          handler: async ({ records }) => {
            for (const { value } of records) await this.#take(SendBatch.decode(value));
          },
        });
        this.#stops.push(() => subscription.stop());
      }
    }
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  async resume(): Promise<void> {
    const due = this.#deferred.splice(0);
    for (const each of due) {
      if (each.until > this.#clock.now()) this.#deferred.push(each);
      else await this.#publish(each.outcome);
    }
  }

  async #take(batch: SendBatch): Promise<void> {
    this.batches.push(batch);
    const positions = new Uint16Array(new Uint8Array(batch.positions).buffer);
    for (const { number, first, count } of batch.slices) {
      const members = [...positions.subarray(first, first + count)];
      const id = `${batch.message}/${batch.chunk}/${batch.platform}/${number}`;
      this.emissions.set(id, [...(this.emissions.get(id) ?? []), members]);
      const isRefused = (position: number): boolean => this.refused.has(`${batch.message}/${position}`);
      const setOf = (some: readonly number[]): Buffer => Buffer.from(Bitmap.of(some).encode());
      const refused = setOf(members.filter(isRefused));
      const failure = { category: 'INVALID_TOKEN', code: '410', name: 'Unregistered', hour: 0 };
      const outcome: SliceOutcome = {
        message: batch.message,
        messageId: batch.messageId,
        account: batch.account,
        application: batch.application,
        bucket: batch.bucket,
        chunk: batch.chunk,
        platform: batch.platform,
        variant: batch.variant,
        number,
        entry: batch.entry,
        at: new Date(this.#clock.now()),
        outcome: {
          $case: 'settled',
          value: {
            sent: [
              {
                platform: batch.platform,
                hour: 0,
                set: setOf(members.filter((position) => !isRefused(position))),
                notDisplayable: Buffer.alloc(0),
              },
            ],
            failed: members.some(isRefused) ? [{ ...failure, platform: batch.platform, set: refused }] : [],
            deadTokens: [],
            bounced: [],
            claimedAt: undefined,
          },
        },
      };
      const chance = this.#chance();
      if (chance < 0.15) continue;
      if (chance < 0.35) {
        const until = this.#clock.now() + 5_000;
        const value = { until: new Date(until), results: undefined };
        await this.#publish({ ...outcome, outcome: { $case: 'deferred', value } });
        if (chance < 0.3) this.#deferred.push({ until, outcome });
      } else await this.#publish(outcome);
    }
  }

  async #publish(outcome: SliceOutcome): Promise<void> {
    const value = SliceOutcome.encode(outcome).finish();
    await this.#broker.publish(topicNames.outcomes, [{ key: messageChunkKey(outcome), value }]);
  }
}
