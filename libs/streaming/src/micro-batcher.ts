import { batcher } from '@tidings/coordination';
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

/** What arrives while one publish is under way goes out with the next one: no timer, no waiting when idle. */
export function microBatcher(
  broker: Pick<Broker, 'publish'>,
  topic: string,
  { maxRecords = 500, maxBytes = 1 << 20 }: MicroBatcherOptions = {},
): MicroBatcher {
  const publish = async (records: readonly OutRecord[]): Promise<readonly Position[]> => {
    try {
      return await broker.publish(topic, records);
    } catch (error) {
      throw Fault.from(error);
    }
  };
  const { submit, drained } = batcher(publish, {
    maxItems: maxRecords,
    sizeOf: ({ key, value }) => key.length + value.length,
    maxSize: maxBytes,
    // One of them is at fault: the others must not suffer for it.
    mayBeOneItem: (error) => (error as Fault).kind !== 'unavailable',
  });
  return {
    // Each goes with the trace of its own call, whoever's call sends them off.
    publish: (record) => submit(withTrace(record)),
    drained,
  };
}
