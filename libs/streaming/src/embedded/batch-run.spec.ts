import { newBatch, recordsOf, without } from './embedded-batch.ts';
import { Run } from './batch-run.ts';

const partition = { topic: 't', partition: 0 };
const batch = (first: number, count: number) =>
  newBatch(
    first,
    first,
    Array.from({ length: count }, (_, i) => ({ key: `${first + i}`, value: Buffer.from('x') })),
  );
const sparse = (first: number, count: number, kept: readonly number[]) => {
  const full = batch(first, count);
  return without(
    full,
    recordsOf(full, 't', 0).filter(({ offset }) => kept.includes(offset)),
  );
};
const offsets = (run: Run, position: number, max: number): unknown => {
  const { records, next } = run.take(position, max);
  return [records.map(({ offset }) => offset), next];
};

describe('run of batches', () => {
  it('passes small batches together, and continues at its position', () => {
    const run = new Run(partition, 0);
    for (const first of [0, 3, 6]) run.append(batch(first, 3));
    expect(offsets(run, 0, 4)).toEqual([[0, 1, 2, 3], 4]);
    expect(offsets(run, 4, 4)).toEqual([[4, 5, 6, 7], 8]);
    expect(offsets(run, 8, 4)).toEqual([[8], 9]);
    expect(offsets(run, 0, 100)).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8], 9]);
  });

  it('skips records that compaction has removed', () => {
    const run = new Run(partition, 0);
    run.append(sparse(0, 10, [2, 9]));
    run.append(sparse(10, 10, []));
    run.append(batch(30, 2));
    expect(offsets(run, 0, 1)).toEqual([[2], 3]);
    expect(offsets(run, 3, 1)).toEqual([[9], 10]);
    expect(offsets(run, 10, 5)).toEqual([[30, 31], 32]);
    expect(offsets(run, 25, 5)).toEqual([[30, 31], 32]);
    const empty = new Run(partition, 5);
    empty.append(sparse(5, 3, []));
    expect(offsets(empty, 5, 5)).toEqual([[], 8]);
  });

  it('reports the offsets that it covers', () => {
    const run = new Run(partition, 5);
    expect(run.covers(5)).toBe(false);
    run.append(batch(5, 5));
    run.append(batch(10, 5));
    expect([4, 5, 14, 15].map((offset) => run.covers(offset))).toEqual([false, true, true, false]);
    run.dropBelow(12);
    expect([9, 10].map((offset) => run.covers(offset))).toEqual([false, true]);
    run.dropBelow(15);
    expect(run.bytes).toBe(0);
    expect(run.covers(14)).toBe(false);
  });
});
