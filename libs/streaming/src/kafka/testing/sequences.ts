import { expect } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import type { Broker, InRecord, Position } from '../../broker-port.ts';
import { text } from '../../features/broker-under-test.ts';

export class Sequences {
  readonly #publishers: ReadonlyMap<string, Promise<Position[]>>;
  #isOver = false;

  constructor(broker: Broker, topic: string, keys: readonly string[]) {
    this.#publishers = new Map(keys.map((key) => [key, this.#publish(broker, topic, key)]));
  }

  /** A closed broker refuses at once: endless retries would leave Jest no turn. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#publishers.values());
  }

  async expectIn(records: readonly InRecord[]): Promise<void> {
    await this.stop();
    const found = new Map(records.map((record) => [`${record.partition}/${record.offset}`, record]));
    const inOrder = [...found.values()].sort((a, b) => a.offset - b.offset);
    for (const [key, publisher] of this.#publishers) {
      const positions = await publisher;
      const acknowledged = positions.map(({ partition, offset }) => found.get(`${partition}/${offset}`));
      expect(acknowledged.map((record) => record && `${record.key} ${text(record)}`)).toEqual(
        positions.map((_, n) => `${key} ${n}`),
      );
      // An unacknowledged record may have been written before it was published again.
      const all = inOrder.filter((record) => record.key === key).map((record) => Number(text(record)));
      expect(all).toEqual(all.toSorted((a, b) => a - b));
    }
  }

  async #publish(broker: Broker, topic: string, key: string): Promise<Position[]> {
    const positions: Position[] = [];
    while (!this.#isOver) {
      try {
        positions.push(...(await broker.publish(topic, [{ key, value: Buffer.from(`${positions.length}`) }])));
      } catch (error) {
        expect(Fault.from(error).kind).toBe('unavailable');
      }
    }
    return positions;
  }
}
