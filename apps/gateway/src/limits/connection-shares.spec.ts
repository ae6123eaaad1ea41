import { EventEmitter } from 'node:events';
import { jest } from '@jest/globals';
import { connectionShares, requireFirstByte } from './connection-shares.ts';

const open = (proxies: readonly string[] = []) => {
  const warn = jest.fn();
  const isProxy = (address: string): boolean => proxies.includes(address);
  return { warn, shares: connectionShares({ connections: 4, protocol: 'HTTP', isProxy, log: { warn } as never }) };
};

describe('the connections of a client', () => {
  it('are limited to half of all, and the first refusal is logged', () => {
    const { warn, shares } = open();
    const first = shares.open('192.0.2.1');
    expect(shares.open('192.0.2.1')).toBeDefined();
    expect(shares.open('192.0.2.1')).toBeUndefined();
    expect(shares.open('::ffff:192.0.2.1')).toBeUndefined();
    expect(warn.mock.calls).toEqual([
      [{ address: '192.0.2.1', connections: 2 }, expect.stringContaining('name it in TRUSTED_PROXIES')],
    ]);
    expect(shares.open('192.0.2.2')).toBeDefined();
    first!.close();
    expect(shares.open('192.0.2.1')).toBeDefined();
  });

  it('do not count while they have a request in progress', () => {
    const { shares } = open();
    const [first, second] = [shares.open('192.0.2.1')!, shares.open('192.0.2.1')!];
    first.begin();
    first.begin();
    expect(shares.open('192.0.2.1')).toBeDefined();
    first.end();
    second.close();
    second.end();
    expect(shares.open('192.0.2.1')).toBeDefined();
    expect(shares.open('192.0.2.1')).toBeUndefined();
  });

  it('are counted by network for IPv6', () => {
    const { shares } = open();
    for (const host of ['1', '2']) expect(shares.open(`2001:db8::${host}`)).toBeDefined();
    expect(shares.open('2001:db8::3')).toBeUndefined();
    expect(shares.open('2001:db8:0:1::3')).toBeDefined();
  });

  it('are not limited for a trusted proxy', () => {
    const { shares } = open(['192.0.2.1']);
    for (let i = 0; i < 10; i++) expect(shares.open('192.0.2.1')).toBeDefined();
  });
});

describe('a connection', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const destroyedWith = (bytesRead: number, ms: number): boolean => {
    const socket = Object.assign(new EventEmitter(), { bytesRead, destroy: jest.fn() });
    requireFirstByte(socket as never);
    jest.advanceTimersByTime(ms);
    return socket.destroy.mock.calls.length > 0;
  };

  it('is closed after five seconds without a byte', () => {
    expect(destroyedWith(0, 4_999)).toBe(false);
    expect(destroyedWith(0, 5_000)).toBe(true);
    expect(destroyedWith(1, 5_000)).toBe(false);
  });
});
