import { setImmediate as turn } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import { microBatcher } from './micro-batcher.ts';
import type { Broker, OutRecord, Position } from './broker-port.ts';

function controlled(): { broker: Pick<Broker, 'publish'>; groups: string[][]; answer(fault?: Fault): Promise<void> } {
  const groups: string[][] = [];
  const answers: ((fault?: Fault) => void)[] = [];
  let end = 0;
  return {
    groups,
    broker: {
      publish: (_topic: string, records: readonly OutRecord[]) =>
        new Promise<readonly Position[]>((resolve, reject) => {
          groups.push(records.map(({ key }) => key));
          answers.push((fault) => {
            if (fault) reject(fault);
            else resolve(records.map(() => ({ partition: 0, offset: end++ })));
          });
        }),
    },
    async answer(fault) {
      answers.shift()?.(fault);
      await turn();
    },
  };
}

const record = (key: string, bytes = 1): OutRecord => ({ key, value: Buffer.alloc(bytes) });

describe('micro-batcher', () => {
  it('publishes together the records that arrive during a publish', async () => {
    const { broker, groups, answer } = controlled();
    const batcher = microBatcher(broker, 't');
    const first = [batcher.publish(record('a')), batcher.publish(record('b'))];
    await turn();
    const second = ['c', 'd', 'e'].map((key) => batcher.publish(record(key)));
    expect(groups).toEqual([['a', 'b']]);
    await answer();
    expect(groups).toEqual([
      ['a', 'b'],
      ['c', 'd', 'e'],
    ]);
    await answer();
    const positions = await Promise.all([...first, ...second]);
    expect(positions.map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4]);
    await batcher.drained();
  });

  it('respects the largest count and size', async () => {
    const { broker, groups, answer } = controlled();
    const batcher = microBatcher(broker, 't', { maxRecords: 3, maxBytes: 100 });
    const sizes = [1, 1, 1, 1, 60, 60, 500, 1];
    const published = Promise.all(sizes.map((bytes, i) => batcher.publish(record(`${i}`, bytes))));
    for (let i = 0; i < 5; i++) {
      await turn();
      await answer();
    }
    await published;
    expect(groups).toEqual([['0', '1', '2'], ['3', '4'], ['5'], ['6'], ['7']]);
  });

  it('publishes the others if one record is refused', async () => {
    const { broker, groups, answer } = controlled();
    const batcher = microBatcher(broker, 't');
    const results = Promise.allSettled(['a', 'b', 'c'].map((key) => batcher.publish(record(key))));
    await turn();
    await answer(new Fault('tooLarge', 'too large'));
    await answer();
    await answer(new Fault('tooLarge', 'too large'));
    await answer();
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(groups).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  });

  it('rejects every publisher when the broker is unavailable, and continues', async () => {
    const { broker, answer } = controlled();
    const batcher = microBatcher(broker, 't');
    const results = Promise.allSettled(['a', 'b'].map((key) => batcher.publish(record(key))));
    await turn();
    await answer(Fault.unavailable('not now'));
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = batcher.publish(record('c'));
    await turn();
    await answer();
    expect(await next).toEqual({ partition: 0, offset: 0 });
  });
});
