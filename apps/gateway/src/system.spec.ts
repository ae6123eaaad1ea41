import { ShiftedClock, systemClock } from '@tidings/kernel';
import type { Operations } from '@tidings/rpc';
import { systemOf } from './system.ts';

const service = (open: () => string[], clock?: ShiftedClock): Operations => ({
  settled: async () => ({ open: open() }),
  advanceClock: async ({ aheadMs }) => {
    clock?.advanceTo(Number(aheadMs));
    return { nowMs: 0n };
  },
});

describe('the system', () => {
  it('is settled when nothing is open twice in a row', async () => {
    const answers = [[], ['late'], [], []] as string[][];
    const system = systemOf([service(() => answers.shift() ?? [])], systemClock, () => 0);
    expect(await system.open()).toEqual(['late']);
    expect(await system.open()).toEqual([]);
  });

  it('is not settled while commands are under way in the gateway', async () => {
    const system = systemOf([service(() => [])], systemClock, () => 2);
    expect(await system.open()).toEqual(['gateway: 2 device commands']);
  });

  it('has one time, whether services share the clock or have their own', async () => {
    const clock = new ShiftedClock();
    const own = new ShiftedClock();
    const system = systemOf([service(() => [], clock), service(() => [], own)], clock, () => 0);
    await system.advanceClock(1000);
    await system.advanceClock(500);
    expect([clock.aheadMs, own.aheadMs]).toEqual([1500, 1500]);
  });

  it('has no clock to set outside tests', async () => {
    await expect(systemOf([], systemClock, () => 0).advanceClock(1)).rejects.toMatchObject({ kind: 'notFound' });
  });
});
