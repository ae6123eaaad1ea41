import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ShiftedClock } from '@tidings/kernel';
import { pino } from 'pino';
import { every } from './every.ts';

describe('every', () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  beforeEach(() => {
    lines.length = 0;
    jest.useFakeTimers();
  });
  afterEach(() => void jest.useRealTimers());

  it('repeats the work, one run at a time', async () => {
    let done = 0;
    let running = 0;
    let most = 0;
    const periodic = every(
      100,
      async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 250));
        running--;
        done++;
      },
      { name: 'work', log },
    );
    await jest.advanceTimersByTimeAsync(350 * 4);
    const stopped = periodic.stop();
    await jest.advanceTimersByTimeAsync(250);
    await stopped;
    expect(done).toBeGreaterThanOrEqual(4);
    expect(most).toBe(1);
  });

  it('runs the work at once when its clock has been set forward by the interval', async () => {
    let done = 0;
    const clock = new ShiftedClock();
    const periodic = every(60_000, () => void done++, { name: 'work', log, clock });
    clock.advance(59_000);
    expect(done).toBe(0);
    clock.advance(1_000);
    expect(done).toBe(1);
    await periodic.stop();
    clock.advance(60_000);
    expect(done).toBe(1);
  });

  it('runs the work once more when its clock is set forward during a run', async () => {
    let started = 0;
    const clock = new ShiftedClock();
    const work = async (): Promise<void> => {
      started++;
      await new Promise((resolve) => setTimeout(resolve, 250));
    };
    const periodic = every(60_000, work, { name: 'work', log, clock, immediately: true });
    clock.advance(60_000);
    expect(started).toBe(1);
    await jest.advanceTimersByTimeAsync(300);
    expect(started).toBe(2);
    await jest.advanceTimersByTimeAsync(300);
    await periodic.stop();
  });

  it('runs the work earlier by as much as its clock is set forward', async () => {
    let done = 0;
    const clock = new ShiftedClock();
    const periodic = every(5_000, () => void done++, { name: 'work', log, clock });
    clock.advance(3_000);
    await jest.advanceTimersByTimeAsync(1_999);
    expect(done).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(done).toBe(1);
    await periodic.stop();
  });

  it('brings the next run forward on request, and never back', async () => {
    let done = 0;
    const periodic = every(5_000, () => void done++, { name: 'work', log });
    periodic.within(200);
    periodic.within(900);
    await jest.advanceTimersByTimeAsync(199);
    expect(done).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(done).toBe(1);
    await jest.advanceTimersByTimeAsync(1_249);
    expect(done).toBe(1);
    await periodic.stop();
  });

  it('runs work of equal intervals in one turn, at least a quarter of the interval later', async () => {
    const times: number[] = [];
    const record = (): void => void times.push(performance.now());
    const first = every(1_000, record, { name: 'first', log });
    await jest.advanceTimersByTimeAsync(130);
    const second = every(1_000, record, { name: 'second', log });
    await jest.advanceTimersByTimeAsync(10_000);
    await Promise.all([first.stop(), second.stop()]);
    const byTime = Map.groupBy(times, (time) => Math.round(time));
    expect([...byTime.values()].filter(({ length }) => length === 2).length).toBeGreaterThanOrEqual(8);
  });

  it('keeps the time of a request during a run', async () => {
    let done = 0;
    const periodic = every(5_000, () => new Promise<void>((resolve) => setTimeout(() => resolve(void done++), 100)), {
      name: 'work',
      log,
      immediately: true,
    });
    periodic.within(300);
    await jest.advanceTimersByTimeAsync(399);
    expect(done).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(done).toBe(2);
    await jest.advanceTimersByTimeAsync(0);
    await periodic.stop();
  });

  it('continues after failures, which it logs once, and logs the recovery', async () => {
    let run = 0;
    const periodic = every(
      100,
      () => {
        if (++run <= 3) throw new Error('no');
      },
      { name: 'work', log },
    );
    await jest.advanceTimersByTimeAsync(500);
    await periodic.stop();
    expect(run).toBe(5);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'periodic work failed',
      'periodic work recovered',
    ]);
  });

  it('logs a failure that differs from the one before', async () => {
    const reasons = ['away', 'away', 'a defect', 'a defect'];
    const work = (): void => {
      throw new Error(reasons.shift() ?? 'a defect');
    };
    const periodic = every(100, work, { name: 'work', log });
    await jest.advanceTimersByTimeAsync(500);
    await periodic.stop();
    const logged = lines.map((line) => JSON.parse(line) as { err: { message: string } });
    expect(logged.map(({ err }) => err.message)).toEqual(['away', 'a defect']);
  });

  it('runs at once on request, and a request during a run gets a run of its own', async () => {
    let started = 0;
    const finish: (() => void)[] = [];
    const periodic = every(100, () => new Promise<void>((resolve) => void (started++, finish.push(resolve))), {
      name: 'work',
      log,
      immediately: true,
    });
    expect(started).toBe(1);
    const both = Promise.all([periodic.now(), periodic.now()]);
    finish[0]!();
    await jest.advanceTimersByTimeAsync(0);
    expect(started).toBe(2);
    finish[1]!();
    await both;
    expect(started).toBe(2);
    await periodic.stop();
  });

  it('stops after the run under way, which is notified', async () => {
    let aborted = false;
    let over = false;
    const periodic = every(
      100,
      async (signal) => {
        signal.addEventListener('abort', () => (aborted = true));
        await new Promise((resolve) => setTimeout(resolve, 50));
        over = true;
      },
      { name: 'work', log, immediately: true },
    );
    const stopped = periodic.stop();
    expect([aborted, over]).toEqual([true, false]);
    await jest.advanceTimersByTimeAsync(50);
    await stopped;
    expect(over).toBe(true);
    await jest.advanceTimersByTimeAsync(1000);
    expect(jest.getTimerCount()).toBe(0);
  });
});
