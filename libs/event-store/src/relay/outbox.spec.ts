import { beforeEach, describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { Outbox, type RelayedRecord } from './outbox.ts';

const MEGABYTE = 1 << 20;

const record = (key: string, bytes: number): RelayedRecord => ({ topic: 'things', key, value: Buffer.alloc(bytes) });

describe('an outbox', () => {
  let published: string[][];
  let fail: () => void;
  let problems: unknown[];
  let outbox: Outbox;

  beforeEach(() => {
    [published, problems] = [[], []];
    fail = () => undefined;
    const publish = async (_topic: string, records: readonly { readonly key: string }[]): Promise<void> => {
      fail();
      published.push(records.map(({ key }) => key));
    };
    outbox = new Outbox({ publish }, 0, (problem) => problems.push(problem));
  });

  it('publishes in parts beyond the limit of one publish, and repeats only the rest after a failure', async () => {
    fail = () => {
      if (published.length === 1 && problems.length === 0) throw Fault.unavailable('not now');
    };
    await outbox.send(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => record(key, MEGABYTE)));
    expect(published).toEqual([
      ['a', 'b', 'c', 'd'],
      ['e', 'f'],
    ]);
    expect(problems).toHaveLength(1);
  });

  it('publishes a record alone that exceeds the limit of a publish', async () => {
    await outbox.send([record('a', 10), record('b', 6 * MEGABYTE), record('c', 10)]);
    expect(published).toEqual([['a'], ['b'], ['c']]);
  });

  it('rejects a sender if the rest of its records is refused', async () => {
    fail = () => {
      if (published.length === 1) throw Fault.tooLarge('a record too large');
    };
    await expect(outbox.send([record('a', 10), record('b', 6 * MEGABYTE)])).rejects.toMatchObject({
      kind: 'tooLarge',
    });
  });
});
