import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { type Logger, pino } from 'pino';
import { waitForDependency } from './wait-for-dependency.ts';

function listen(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push((JSON.parse(line) as { msg: string }).msg);
  return { log: pino({ level: 'info' }, { write }), lines };
}

const signal = new AbortController().signal;

describe('waitForDependency', () => {
  it('logs nothing if the dependency is available', async () => {
    const { log, lines } = listen();
    expect(await waitForDependency('mongodb', async () => 7, { log, signal })).toBe(7);
    expect(lines).toEqual([]);
  });

  it('waits for a dependency that does not answer, and logs so once', async () => {
    const { log, lines } = listen();
    let tries = 0;
    const connect = async (): Promise<number> => {
      if (++tries < 4) throw Fault.unavailable('no answer');
      return tries;
    };
    expect(await waitForDependency('mongodb', connect, { log, signal })).toBe(4);
    expect(lines).toEqual(['not available yet', 'available']);
  });

  it('does not wait for a permanent fault', async () => {
    const { log, lines } = listen();
    const connect = async (): Promise<never> => {
      throw Fault.argument('MONGO_URL: wrong');
    };
    await expect(waitForDependency('mongodb', connect, { log, signal })).rejects.toMatchObject({ kind: 'argument' });
    expect(lines).toEqual([]);
  });

  it('ends with the process', async () => {
    const { log } = listen();
    const stopping = new AbortController();
    const waiting = waitForDependency('mongodb', () => new Promise(() => undefined), { log, signal: stopping.signal });
    stopping.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('ends during a pause as well, and leaves no timer', async () => {
    const { log, lines } = listen();
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const stopping = new AbortController();
    const connect = async (): Promise<never> => {
      throw Fault.unavailable('no answer');
    };
    const waiting = waitForDependency('mongodb', connect, { log, signal: stopping.signal });
    waiting.catch(() => undefined);
    while (lines.length === 0) await turn();
    stopping.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'unavailable', message: 'no answer' });
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
