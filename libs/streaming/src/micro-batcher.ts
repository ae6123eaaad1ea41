import { batcher } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import { withTrace } from '@tidings/telemetry';
import type { Broker, OutRecord, Position } from './broker-port.ts';

export interface MicroBatcherOptions {
  /** @default 500 */
  readonly maxRecords?: number;
  /** @default 1 MB */
  readonly maxBytes?: number;
  readonly minIntervalMs?: number;
}

export interface MicroBatcher {
  publish(record: OutRecord): Promise<Position>;
  drained(): Promise<void>;
}

export function microBatcher(
  broker: Pick<Broker, 'publish'>,
  topic: string,
  { maxRecords = 500, maxBytes = 1 << 20, minIntervalMs }: MicroBatcherOptions = {},
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
    ...(minIntervalMs !== undefined && { minIntervalMs }),
    mayBeOneItem: (error) => (error as Fault).kind !== 'unavailable',
  });
  return {
    publish: (record) => submit(withTrace(record)),
    drained,
  };
}
