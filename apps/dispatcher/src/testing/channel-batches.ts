import type { SendBatch } from '@tidings/events';
import type { ChannelSubject } from './channel-subject.ts';
import { content as contentOf, sendBatch, type TestDevice } from './test-batches.ts';
import type { Kind } from './test-simulators.ts';

type KindOfToken = Exclude<Kind, 'reason'>;

export interface ChannelBatches {
  device(kind: KindOfToken, position: number, argument?: number): TestDevice;
  accepted(count: number): TestDevice[];
  at(position: number, device: TestDevice): TestDevice;
  batch(devices: readonly TestDevice[], fields?: Partial<SendBatch>): SendBatch;
}

const SLICE = 500;
const noColumns: ReadonlyMap<string, string> = new Map();

export function channelBatches(subject: ChannelSubject): ChannelBatches {
  const { platform, atMostOnce = false, content } = subject;
  const device = (kind: KindOfToken, position: number, argument?: number): TestDevice => ({
    position,
    token: subject.token(kind, position, argument),
    columns: subject.columns?.(kind, position, argument) ?? noColumns,
  });
  return {
    device,
    accepted: (count) => Array.from({ length: count }, (_, i) => device('accepted', i)),
    at: (position, each) => ({ ...each, position }),
    batch: (devices, fields = {}) =>
      sendBatch(
        Array.from({ length: Math.ceil(devices.length / SLICE) }, (_, number) => ({
          number,
          devices: devices.slice(number * SLICE, number * SLICE + SLICE),
        })),
        {
          platform,
          credential: { application: 'AAAAA-00000', platform, version: 1 },
          content: contentOf(content),
          atMostOnce,
          ...fields,
        },
      ),
  };
}
