import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Http2Connection } from './http2-connection.ts';
import type { FailedOpening } from './connection-failure.ts';
import type { ConnectionSettings, Exchange, Link, LinkEvents } from './http2-port.ts';

const LATENCY_MS = 5;
/** When TCP repeats a SYN. */
const SYN_AGAIN_MS = [1_000, 3_000, 7_000];
const REQUEST = { path: '/p', shared: [], own: [] };

class FakeProvider {
  stalledUntil = 0;
  holeUntil = 0;
  streams = Infinity;
  readonly links: FakeLink[] = [];

  cut(): void {
    for (const link of this.links) link.cut = true;
  }

  hole(ms: number): void {
    this.cut();
    this.holeUntil = performance.now() + ms;
  }

  stall(ms: number): void {
    this.stalledUntil = performance.now() + ms;
  }
}

class FakeLink implements Link {
  readonly #provider: FakeProvider;
  readonly #events: LinkEvents;
  readonly #exchanges = new Set<Exchange>();
  cut: boolean;
  destroyed = false;
  draining = false;
  receivedAt = performance.now();
  proven = false;

  constructor(provider: FakeProvider, events: LinkEvents) {
    this.#provider = provider;
    this.#events = events;
    this.cut = performance.now() < provider.holeUntil;
    provider.links.push(this);
    this.#deliver(() => events.opened());
    for (const ms of this.cut ? SYN_AGAIN_MS : []) setTimeout(() => this.#knock(), ms);
  }

  get busy(): number {
    return this.#exchanges.size;
  }

  ready(): boolean {
    return !this.draining && !this.destroyed && this.busy < this.#provider.streams;
  }

  request(_request: unknown, _body: Uint8Array, exchange: Exchange): boolean {
    if (!this.ready()) return false;
    this.#exchanges.add(exchange);
    this.#deliver(() => {
      this.proven = true;
      if (this.#exchanges.delete(exchange)) exchange.answered(200, {}, '');
      this.#events.room();
      if (this.draining && this.busy === 0) this.destroy();
    });
    return true;
  }

  expire(now: number): void {
    for (const exchange of this.#exchanges) {
      if (exchange.deadline > now) continue;
      this.#exchanges.delete(exchange);
      exchange.failed('timeout');
    }
  }

  ping(): void {
    this.#deliver(() => undefined);
  }

  drain(): void {
    this.draining = true;
    if (this.busy === 0) this.destroy();
  }

  destroy(error?: Error): void {
    if (this.destroyed) return;
    this.destroyed = true;
    setTimeout(() => {
      for (const exchange of this.#exchanges) exchange.failed('lost');
      this.#exchanges.clear();
      this.#events.closed(error);
    });
  }

  #knock(): void {
    if (!this.cut || performance.now() < this.#provider.holeUntil) return;
    this.cut = false;
    this.#deliver(() => this.#events.opened());
  }

  #deliver(then: () => void): void {
    const wait = Math.max(0, this.#provider.stalledUntil - performance.now()) + LATENCY_MS;
    setTimeout(() => {
      if (this.cut || this.destroyed) return;
      // It may have begun to stand still since.
      if (performance.now() < this.#provider.stalledUntil) this.#deliver(then);
      else {
        this.receivedAt = performance.now();
        then();
      }
    }, wait);
  }
}

describe('a connection with a silent provider', () => {
  let provider: FakeProvider;
  let connection: Http2Connection;
  let ends: Record<string, number>;
  let failures: FailedOpening[];

  const connect = (settings: Partial<ConnectionSettings> = {}): Http2Connection =>
    new Http2Connection(
      { url: 'https://push.example.com', onFailure: (failure) => failures.push(failure), ...settings },
      (_settings, events) => new FakeLink(provider, events),
    );

  beforeEach(() => {
    jest.useFakeTimers({ now: 1_700_000_000_000, doNotFake: ['queueMicrotask', 'nextTick'] });
    provider = new FakeProvider();
    ends = {};
    failures = [];
    connection = connect();
  });
  afterEach(() => {
    connection.close();
    jest.useRealTimers();
  });

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  const end = (how: string): void => {
    ends[how] = (ends[how] ?? 0) + 1;
  };
  const write = (count = 1, timeoutMs = 30_000): number => {
    let written = 0;
    const deadline = performance.now() + timeoutMs;
    const exchange = { deadline, mayFlush: () => true, answered: () => end('answered'), failed: end };
    for (let i = 0; i < count; i++) if (connection.request(REQUEST, new Uint8Array(), { ...exchange })) written++;
    return written;
  };
  const begin = async (): Promise<void> => {
    write();
    await pass(10);
    expect(write()).toBe(1);
    await pass(10);
    expect(ends).toEqual({ answered: 1 });
    ends = {};
  };
  const recovery = async (): Promise<number> => {
    const from = performance.now();
    const before = ends['answered'] ?? 0;
    while ((ends['answered'] ?? 0) === before && performance.now() - from < 60_000) {
      write();
      await pass(20);
    }
    return performance.now() - from;
  };

  it('lets callers write all their requests, one after the other', async () => {
    await begin();
    provider.streams = 2;
    const written: string[] = [];
    const call = (name: string): void => {
      let remaining = 4;
      const run = (): void => {
        for (; remaining > 0 && write() === 1; remaining--) written.push(name);
        if (remaining > 0) connection.whenReady(run);
      };
      run();
    };
    for (const name of ['a', 'b']) call(name);
    await pass(1_000);
    expect(written.join('')).toBe('aaaabbbb');
  });

  it.each([2, 10, 29])('loses nothing to a stall of %i s', async (seconds) => {
    await begin();
    provider.stall(seconds * 1000);
    write(50);
    await pass(seconds * 1000);
    expect(ends).toEqual({});
    await pass(300);
    expect(ends).toEqual({ answered: 50 });
    expect(connection.ready()).toBe(true);
    expect(write()).toBe(1);
    await pass(10);
    expect(ends).toEqual({ answered: 51 });
  });

  it('accepts no request while it is suspect, and gives the reason why no other connection opens', async () => {
    await begin();
    provider.stall(12_000);
    write();
    await pass(3_600);
    expect(write()).toBe(0);
    expect(connection.lastFailure()).toBeUndefined();
    await pass(5_000);
    const unreachable = { cause: 'unreachable', message: 'not open after 5000 ms' };
    expect(connection.lastFailure()).toMatchObject(unreachable);
    expect(failures).toMatchObject([unreachable]);
    await pass(4_000);
    expect(connection.lastFailure()).toBeUndefined();
    expect(connection.downUntil()).toBe(0);
    expect(write()).toBe(1);
  });

  it('keeps one connection after a stall', async () => {
    await begin();
    provider.stall(10_000);
    write();
    await pass(20_000);
    expect(provider.links.filter(({ destroyed }) => !destroyed).length).toBe(1);
  });

  it('ends unanswered requests at their deadlines, and continues within 5 s of the return of the provider', async () => {
    await begin();
    provider.stall(60_000);
    write(10);
    await pass(60_000);
    expect(ends).toEqual({ timeout: 10 });
    expect(await recovery()).toBeLessThan(5_000);
  });

  it('replaces a half-open connection: its requests are lost, later ones are answered first', async () => {
    await begin();
    provider.cut();
    write(10);
    await pass(3_500);
    expect(write()).toBe(1);
    await pass(10);
    expect(ends).toEqual({ answered: 1 });
    await pass(3_000);
    expect(ends).toEqual({ answered: 1, lost: 10 });
  });

  it('continues within 5 s of the end of a black hole, whenever that is', async () => {
    for (let ms = 1_000; ms < 40_000; ms += 1_300) {
      connection.close();
      connection = connect();
      await begin();
      provider.hole(ms);
      write(10);
      await pass(ms);
      expect(await recovery()).toBeLessThan(5_000);
      await pass(30_000);
      expect(ends['answered']! + (ends['lost'] ?? 0) + (ends['timeout'] ?? 0)).toBeGreaterThan(10);
      ends = {};
    }
  });

  it('suspects no connection after a pause of its own process', async () => {
    await begin();
    provider.stall(1_800);
    write(10);
    // A PING is under way.
    await pass(1_500);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
    await pass(1_000);
    expect(ends).toEqual({ answered: 10 });
    expect(provider.links.length).toBe(1);
  });

  it.each([
    ['forward', 7_200_000],
    ['back', -7_200_000],
  ])('ends no request, and serves the next, when the clock is set %s', async (_, ms) => {
    await begin();
    provider.stall(1_800);
    write(10);
    await pass(500);
    jest.setSystemTime(Date.now() + ms);
    await pass(2_000);
    expect(ends).toEqual({ answered: 10 });
    provider.hole(3_000);
    write(10);
    await pass(3_000);
    expect(await recovery()).toBeLessThan(5_000);
  });

  it('checks whether the provider answers on an idle connection but not on another one', async () => {
    await begin();
    write(5);
    provider.cut();
    connection.renew(connection.epoch);
    connection.ready();
    await pass(4_000);
    expect(ends).toEqual({});
    expect(connection.ready()).toBe(true);
    await pass(2_500);
    expect(ends).toEqual({ lost: 5 });
    expect(connection.ready()).toBe(true);
  });

  it('does not reuse a link that should be renewed while it was suspect', async () => {
    await begin();
    const { epoch } = connection;
    provider.stall(5_000);
    write(5);
    await pass(4_000);
    connection.renew(epoch);
    await pass(2_000);
    expect(ends).toEqual({ answered: 5 });
    expect(connection.epoch).toBeGreaterThan(epoch);
    expect(connection.ready()).toBe(true);
    expect(provider.links[0]!.destroyed).toBe(true);
  });

  it('lets waiting requests continue when the connection answers again', async () => {
    await begin();
    provider.stall(4_000);
    write(5);
    await pass(3_600);
    let written = 0;
    connection.whenReady(() => {
      written = write();
    });
    await pass(1_000);
    expect(written).toBe(1);
    expect(ends).toEqual({ answered: 6 });
  });

  it('reports a connection whose creation fails', async () => {
    const broken = new Http2Connection(
      {
        url: 'https://push.example.com',
        onFailure: (failure, host) => void failures.push({ ...failure, message: host }),
      },
      () => {
        throw new Error('key values mismatch');
      },
    );
    expect(broken.ready()).toBe(false);
    expect(broken.lastFailure()).toMatchObject({ cause: 'unreachable', message: 'key values mismatch' });
    expect(failures).toMatchObject([{ message: 'push.example.com' }]);
    expect(broken.downUntil()).toBeGreaterThan(performance.now());
    broken.close();
  });
});
