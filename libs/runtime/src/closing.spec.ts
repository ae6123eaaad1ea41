import { describe, expect, it } from '@jest/globals';
import { Closing, openWith } from './closing.ts';
import { openLog } from './logs.ts';

describe('Closing', () => {
  it('closes every part once, in the reverse order of opening', async () => {
    const lines: string[] = [];
    const closing = new Closing(openLog('info', { write: (line) => void lines.push(line) }));
    const closed: string[] = [];
    const open = (name: string, fails = false): string =>
      closing.add(name, name, async () => {
        await Promise.resolve();
        closed.push(name);
        if (fails) throw new Error('stuck');
      });
    expect(open('database')).toBe('database');
    open('broker', true);
    open('gateway');
    await Promise.all([closing.close(), closing.close()]);
    expect(closed).toEqual(['gateway', 'broker', 'database']);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ part: 'broker', err: { message: 'stuck' } });
  });

  it('waits for a part that is still being opened, and closes it', async () => {
    const closing = new Closing(openLog('silent'));
    const { promise, resolve } = Promise.withResolvers<string>();
    const closed: string[] = [];
    const failing = closing.addOpening('broker', Promise.reject(new Error('no broker')), () => closed.push('broker'));
    const opening = closing.addOpening('database', promise, (name) => closed.push(name));
    await expect(Promise.all([opening, failing])).rejects.toThrow('no broker');
    const all = closing.close();
    resolve('database');
    await all;
    expect(closed).toEqual(['database']);
  });
});

describe('openWith', () => {
  const log = openLog('silent');
  const opened = (closed: string[], failure?: Error) => async (closing: Closing) => {
    closing.add('broker', 'broker', (name) => closed.push(name));
    if (failure) throw failure;
    return closing;
  };

  it('closes the parts, if a later one cannot be opened', async () => {
    const closed: string[] = [];
    await expect(openWith(log, opened(closed, new Error('no store')))).rejects.toThrow('no store');
    expect(closed).toEqual(['broker']);
  });

  it('leaves the parts open otherwise', async () => {
    const closed: string[] = [];
    const closing = await openWith(log, opened(closed));
    expect(closed).toEqual([]);
    await closing.close();
    expect(closed).toEqual(['broker']);
  });
});
