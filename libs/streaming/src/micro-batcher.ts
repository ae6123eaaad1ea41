import { batcher } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import { withTrace } from '@tidings/telemetry';
import type { Broker, OutRecord, Position } from './broker-port.ts';

export interface MicroBatcherOptions {
  /** @default 500 */
  readonly maxRecords?: number;
  /** Maximum bytes of keys and values per publish, unless one record is larger. @default 1 MB */
  readonly maxBytes?: number;
}

/** Publishes single records of one topic together. */
export interface MicroBatcher {
  /** Resolves when the record is durable. Records are published in the order of the calls. */
  publish(record: OutRecord): Promise<Position>;
  /** Resolves when nothing is waiting or being published. */
  drained(): Promise<void>;
}

/** Records that arrive during a publish are published with the next one: no timer, no wait when idle. */
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
    // One of them is faulty: the others must not fail with it.
    mayBeOneItem: (error) => (error as Fault).kind !== 'unavailable',
  });
  return {
    // Each record has the trace of its own call.
    publish: (record) => submit(withTrace(record)),
    drained,
  };
}
