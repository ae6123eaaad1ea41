import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { MongoNetworkError } from 'mongodb';
import { Thinned } from './expected-faults.ts';
import { openLog } from './logs.ts';

function logged(write: (log: ReturnType<typeof openLog>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(openLog('trace', { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('an expected fault during an outage', () => {
  beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(0));
  afterEach(() => void jest.restoreAllMocks());

  it('is written without a stack, with its causes, once for each message and part', () => {
    const away = () => Fault.unavailable('The store does not answer', new MongoNetworkError('connection closed'));
    const lines = logged((log) => {
      for (let i = 0; i < 1000; i++) log.child({ service: 'registry' }).error({ err: away() }, 'relay failed');
      for (let i = 0; i < 1000; i++) log.child({ service: 'scheduler' }).error({ err: away(), n: i }, 'relay failed');
      for (let i = 0; i < 1000; i++) log.warn({ err: new MongoNetworkError('connection closed') }, 'read failed');
    });
    const cause = { type: 'MongoNetworkError', message: 'connection closed' };
    expect(lines).toMatchObject([
      { service: 'registry', msg: 'relay failed', err: { type: 'Fault', message: 'The store does not answer', cause } },
      { service: 'scheduler', msg: 'relay failed', n: 0 },
      { msg: 'read failed', err: cause },
    ]);
    expect(JSON.stringify(lines)).not.toContain('stack');
  });

  it('is written again after a second, with the number of those in between', () => {
    const thinned = new Thinned();
    expect([0, 1, 999, 1000, 1001].map((now) => thinned.pass('m', now))).toEqual([
      0,
      undefined,
      undefined,
      2,
      undefined,
    ]);
    expect(thinned.pass('another', 1001)).toBe(0);
  });

  it('is no bug: those are all written, with their stacks', () => {
    const lines = logged((log) => {
      for (let i = 0; i < 3; i++) log.error({ err: new TypeError('x') }, 'failed');
    });
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(lines[2])).toContain('stack');
  });
});
