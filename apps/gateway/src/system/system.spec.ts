import { Fault, ShiftedClock, systemClock } from '@tidings/kernel';
import { type SystemOperations, systemOf } from './system.ts';

const service = (open: () => string[], clock = new ShiftedClock()): SystemOperations => ({
  settled: async () => ({ open: open(), deletions: [] }),
  advanceClock: async ({ aheadMs }) => {
    clock.advanceTo(Number(aheadMs));
    return { nowMs: 0n, aheadMs: BigInt(clock.aheadMs) };
  },
});
const idle = (): string[] => [];

describe('the system', () => {
  it('is settled when two checks in a row find no open work', async () => {
    const answers = [[], ['late'], [], []] as string[][];
    const system = systemOf([() => [service(() => answers.shift() ?? [])]], systemClock);
    expect(await system.open()).toEqual(['late']);
    expect(await system.open()).toEqual([]);
  });

  describe('a system that reports activity', () => {
    const queries: string[] = [];
    const active = (name: string, activities: (bigint | undefined)[], open: string[][] = []): SystemOperations => ({
      settled: async () => {
        queries.push(name);
        return { open: open.shift() ?? [], deletions: [] };
      },
      advanceClock: async () => ({ nowMs: 0n, aheadMs: 0n, activity: activities.shift() }),
    });
    const system = (...processes: SystemOperations[]) => systemOf([() => processes], new ShiftedClock());
    beforeEach(() => void queries.splice(0));

    it('is settled after one round if no process was active', async () => {
      expect(await system(active('a', [1n, 1n]), active('b', [7n, 7n])).open()).toEqual([]);
      expect(queries.toSorted()).toEqual(['a', 'b']);
    });

    it('is queried again if a process was active during the round', async () => {
      for (const activities of [
        [1n, 2n],
        [1n, undefined],
        [undefined, 1n],
        [undefined, undefined],
      ]) {
        queries.splice(0);
        const process = active('a', activities, [[], ['late']]);
        expect([activities, await system(process).open(), queries]).toEqual([activities, ['late'], ['a', 'a']]);
      }
    });
  });

  it('is not settled while work is under way in any process of any service', async () => {
    const busy = service(() => ['scheduler: writing']);
    const system = systemOf([() => [service(idle)], async () => [service(idle), busy]], systemClock);
    expect(await system.open()).toEqual(['scheduler: writing']);
  });

  it('queries its services in sequence, so that work that moves on is found', async () => {
    const queries: string[] = [];
    const named = (name: string): SystemOperations => ({
      ...service(idle),
      settled: async () => {
        queries.push(`${name} asked`);
        await Promise.resolve();
        queries.push(`${name} done`);
        return { open: [name], deletions: [] };
      },
    });
    const system = systemOf([() => [named('a')], () => [named('b')]], systemClock);
    expect(await system.open()).toEqual(['a', 'b']);
    expect(queries).toEqual(['a asked', 'a done', 'b asked', 'b done']);
  });

  it('queries one process of a service for everything, after the others, which report only their own work', async () => {
    const queries: string[] = [];
    const named = (name: string): SystemOperations => ({
      ...service(idle),
      settled: async ({ ownOnly = false }) => {
        await Promise.resolve();
        queries.push(`${name} ${ownOnly ? 'own' : 'all'}`);
        return { open: name === 'c' ? [name] : [], deletions: [] };
      },
    });
    expect(await systemOf([() => [named('a'), named('b'), named('c')]], systemClock).open()).toEqual(['c']);
    expect(queries).toEqual(['b own', 'c own', 'a all']);
  });

  it('queries briefly only until a service has open work, starts there the next time, and queries all of them twice before it is settled', async () => {
    const queries: string[] = [];
    const open = new Set(['b', 'c']);
    const named = (name: string): SystemOperations => ({
      ...service(idle),
      settled: async () => {
        queries.push(name);
        return { open: open.has(name) ? [name] : [], deletions: [] };
      },
    });
    let elapsedMs = 0;
    const services = ['a', 'b', 'c'].map((name) => () => [named(name)]);
    const system = systemOf(services, systemClock, () => elapsedMs);
    expect([await system.open({ brief: true }), queries.splice(0)]).toEqual([['b'], ['a', 'b']]);
    expect([await system.open({ brief: true }), queries.splice(0)]).toEqual([['b'], ['b']]);
    // Clocks may have to be brought level.
    elapsedMs = 1000;
    expect([await system.open({ brief: true }), queries.splice(0)]).toEqual([['b'], ['a', 'b']]);
    open.delete('b');
    expect([await system.open({ brief: true }), queries.splice(0)]).toEqual([['c'], ['b', 'a', 'b', 'c']]);
    open.delete('c');
    expect(await system.open({ brief: true })).toEqual([]);
    expect(queries).toEqual(['c', 'a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('is settled during deletions, and reads them from one process of each service', async () => {
    const purging = (name: string): SystemOperations => ({
      ...service(idle),
      settled: async ({ deletions }) => ({
        open: [],
        deletions: deletions ? [{ service: name, application: 'A', devices: undefined }] : [],
      }),
    });
    const system = systemOf([() => [purging('a'), purging('a')], () => [purging('b')], () => []], systemClock);
    expect(await system.open()).toEqual([]);
    expect((await system.deletions()).map((each) => each.service)).toEqual(['a', 'b']);
  });

  it('has one time, whether services share the clock or have their own', async () => {
    const clock = new ShiftedClock();
    const own = new ShiftedClock();
    const system = systemOf([() => [service(idle, clock)], () => [service(idle, own)]], clock);
    await system.advanceClock(1000);
    await system.advanceClock(500);
    expect([clock.aheadMs, own.aheadMs]).toEqual([1500, 1500]);
  });

  it('advances late clocks to the latest one, its own included', async () => {
    const [clock, first, second] = [new ShiftedClock(), new ShiftedClock(), new ShiftedClock()];
    first.advanceTo(3_600_000);
    const system = systemOf([() => [service(idle, first), service(idle, second)]], clock);
    await system.advanceClock(0);
    expect([clock.aheadMs, first.aheadMs, second.aheadMs]).toEqual([3_600_000, 3_600_000, 3_600_000]);
    await system.advanceClock(1);
    expect([clock.aheadMs, first.aheadMs, second.aheadMs]).toEqual([3_600_001, 3_600_001, 3_600_001]);
  });

  it('checks for open work with equal clocks, and also in the other processes when one does not answer', async () => {
    const [clock, late] = [new ShiftedClock(), new ShiftedClock()];
    clock.advanceTo(3_600_000);
    const due = service(() => (late.aheadMs > 0 ? ['due'] : []), late);
    expect(await systemOf([() => [due]], clock).open()).toEqual(['due']);
    const silent: SystemOperations = {
      settled: async () => ({ open: ['registry does not answer'], deletions: [] }),
      advanceClock: async () => {
        throw Fault.unavailable('no answer');
      },
    };
    expect(await systemOf([() => [silent, due]], clock).open()).toEqual(['registry does not answer', 'due']);
  });

  it('has no settable clock outside tests', async () => {
    await expect(systemOf([], systemClock).advanceClock(1)).rejects.toMatchObject({ kind: 'notFound' });
  });
});
