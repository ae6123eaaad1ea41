import { Fault } from '@tidings/kernel';
import { withTrace } from '@tidings/telemetry';
import type { Broker, OutRecord, Position } from './broker-port.ts';

export interface MicroBatcherOptions {
  /** @default 500 */
  readonly maxRecords?: number;
  /** Bytes of keys and values that go out together, unless one record is larger. @default 1 MB */
  readonly maxBytes?: number;
}

/** Publishes single records of one topic together. */
export interface MicroBatcher {
  /** Resolves when the record is durable. Records are published in the order of the calls. */
  publish(record: OutRecord): Promise<Position>;
  /** Resolves when nothing is waiting or under way. */
  drained(): Promise<void>;
}

interface Waiting {
  readonly record: OutRecord;
  readonly bytes: number;
  readonly resolve: (position: Position) => void;
  readonly reject: (fault: Fault) => void;
}

/** What arrives while one publish is under way goes out with the next one: no timer, no waiting when idle. */
export function microBatcher(
  broker: Pick<Broker, 'publish'>,
  topic: string,
  options: MicroBatcherOptions = {},
): MicroBatcher {
  const { maxRecords = 500, maxBytes = 1 << 20 } = options;
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  const take = (): Waiting[] => {
    let bytes = 0;
    let count = 0;
    for (const one of waiting) {
      bytes += one.bytes;
      if (count > 0 && (count === maxRecords || bytes > maxBytes)) break;
      count++;
    }
    const taken = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return taken;
  };

  const send = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const positions = await broker.publish(
        topic,
        group.map(({ record }) => record),
      );
      group.forEach(({ resolve }, index) => resolve(positions[index] as Position));
    } catch (error) {
      const fault = Fault.from(error);
      if (fault.kind === 'unavailable' || group.length === 1) for (const { reject } of group) reject(fault);
      // One of them is at fault: the others must not suffer for it.
      else for (const one of group) await send([one]);
    }
  };

  const run = async (): Promise<void> => {
    // What the same turn publishes goes out together.
    await Promise.resolve();
    while (waiting.length > 0) await send(take());
    running = undefined;
  };

  return {
    publish: (record) =>
      new Promise((resolve, reject) => {
        const bytes = record.key.length + record.value.length;
        // Each goes with the trace of its own call, whoever's call sends them off.
        waiting.push({ record: withTrace(record), bytes, resolve, reject });
        running ??= run();
      }),
    async drained() {
      await running;
    },
  };
}
