import { describe, expect, it } from '@jest/globals';
import { failure } from './failure.ts';
import { withRetries } from './retry.ts';

function attempts(...outcomes: readonly unknown[]) {
  const waits: number[] = [];
  let calls = 0;
  const work = () => {
    const outcome = outcomes[Math.min(calls++, outcomes.length - 1)];
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  };
  const sleep = (ms: number) => {
    waits.push(ms);
    return Promise.resolve();
  };
  return { run: () => withRetries(work, sleep), waits, calls: () => calls };
}

const unreachable = failure('unreachable', 'Tidings does not answer setTags.');

describe('retries', () => {
  it('repeat unreachable work with growing pauses', async () => {
    const { run, waits } = attempts(unreachable, unreachable, 'done');
    expect(await run()).toBe('done');
    expect(waits).toEqual([1000, 4000]);
  });

  it('end after three', async () => {
    const { run, waits, calls } = attempts(unreachable);
    await expect(run()).rejects.toBe(unreachable);
    expect([calls(), waits]).toEqual([4, [1000, 4000, 12_000]]);
  });

  it.each([failure('refused', 'Tidings refuses setTags.'), new TypeError('x is undefined')])(
    'do not follow another failure: %s',
    async (error) => {
      const { run, calls } = attempts(error);
      await expect(run()).rejects.toBe(error);
      expect(calls()).toBe(1);
    },
  );
});
