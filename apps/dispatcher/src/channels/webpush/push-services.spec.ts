import { describe, expect, it } from '@jest/globals';
import { connectionResults } from '@tidings/channels';
import type { ConnectionFailure, ProviderConnection } from '@tidings/http2';
import { type PushService, PushServices } from './push-services.ts';

const [OURS, THEIRS] = ['AAAAA-00000/11', 'BBBBB-00000/11'];
const START = 1_000_000_000;

class Network {
  now = START;
  readonly connected: string[] = [];
  readonly #states = new Map<string, { isOpen: boolean; failure?: { cause: ConnectionFailure; at: number } }>();
  readonly services = new PushServices({
    connect: (origin) => this.#connection(origin),
    timers: { now: () => this.now, wall: () => this.now, after: () => () => undefined },
  });

  of(origin: string, openedBy = OURS, lane: 'broadcast' | 'direct' = 'broadcast'): PushService {
    return this.services.of(lane, origin, openedBy);
  }

  opens(origin: string): void {
    this.#states.set(origin, { isOpen: true });
  }

  fails(origin: string, cause: ConnectionFailure = 'connection_refused'): void {
    this.#states.set(origin, { isOpen: false, failure: { cause, at: this.now } });
  }

  proven(origin: string, openedBy = OURS): PushService {
    const service = this.of(origin, openedBy);
    service.ready();
    this.opens(origin);
    service.isProven = true;
    return service;
  }

  #connection(origin: string): ProviderConnection {
    this.connected.push(origin);
    const state = () => this.#states.get(origin);
    const connection: Partial<ProviderConnection> = {
      ready: () => state()?.isOpen ?? false,
      isOpen: () => state()?.isOpen ?? false,
      lastFailure: () => {
        const { failure } = state() ?? {};
        return failure && { ...failure, message: '' };
      },
      close: () => {
        this.connected.splice(this.connected.indexOf(origin), 1);
        this.#states.delete(origin);
      },
    };
    return connection as ProviderConnection;
  }
}

const originOf = (n: number): string => `https://push-${n}.example`;
const range = (count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => originOf(from + i));

describe('connections to push services', () => {
  it('are opened at the first use, one for each origin and lane', () => {
    const network = new Network();
    network.of(originOf(1));
    expect(network.connected).toEqual([]);
    network.of(originOf(1)).ready();
    network.of(originOf(1)).ready();
    network.of(originOf(1), OURS, 'direct').ready();
    expect(network.connected).toEqual([originOf(1), originOf(1)]);
    network.services.close();
    expect(network.connected).toEqual([]);
  });

  it('are limited to 256, and the least recently used one is closed', () => {
    const network = new Network();
    for (const origin of range(256)) network.proven(origin);
    network.of(originOf(0));
    expect(network.of(originOf(256)).ready()).toBe(false);
    expect(network.connected).toHaveLength(256);
    expect(network.connected).toContain(originOf(0));
    expect(network.connected).not.toContain(originOf(1));
    expect(network.connected).toContain(originOf(256));
  });

  it('are not closed during a push', () => {
    const network = new Network();
    for (const origin of range(256)) network.proven(origin).inFlight = 1;
    const further = network.of(originOf(256));
    expect(further.ready()).toBe(false);
    expect(network.connected).toEqual(range(256));
    expect(further.downUntil()).toBe(network.now + 5_000);
    network.of(originOf(7)).inFlight = 0;
    further.ready();
    expect(network.connected).toHaveLength(256);
    expect(network.connected).toContain(originOf(256));
  });

  it('are limited to 32 for origins of one application that have never answered', () => {
    const network = new Network();
    for (const origin of range(100)) network.of(origin).ready();
    expect(network.connected).toEqual(range(32));
    for (const origin of range(100, 100)) network.of(origin, THEIRS).ready();
    expect(network.connected).toEqual([...range(32), ...range(32, 100)]);
  });

  it('move to the next origins when the first ones are known to be dead', () => {
    const network = new Network();
    for (const origin of range(32)) network.of(origin).ready();
    for (const origin of range(32)) {
      network.fails(origin);
      network.of(origin).downUntil();
    }
    const next = network.of(originOf(32));
    next.ready();
    expect(network.connected).toHaveLength(32);
    expect(network.connected).toContain(originOf(32));
  });

  it('are closed first for origins that never answered', () => {
    const network = new Network();
    for (const origin of range(240)) network.proven(origin);
    for (const origin of range(16, 240)) {
      network.of(origin).ready();
      network.opens(origin);
    }
    network.of(originOf(256), THEIRS).ready();
    expect(network.connected).toContain(originOf(0));
    expect(network.connected).not.toContain(originOf(240));
  });
});

describe('remembered push services', () => {
  it('are limited to 4,096, and the least recently used one is removed with its connection', () => {
    const network = new Network();
    const first = network.proven(originOf(0));
    for (const origin of range(4_095, 1)) network.of(origin);
    expect(network.of(originOf(0))).toBe(first);
    for (const origin of range(4_096, 5_000)) network.of(origin);
    expect(network.connected).toEqual([]);
    expect(network.of(originOf(0))).not.toBe(first);
  });

  it('are not removed during a push', () => {
    const network = new Network();
    const first = network.proven(originOf(0));
    first.inFlight = 1;
    for (const origin of range(5_000, 1)) network.of(origin);
    expect(network.of(originOf(0))).toBe(first);
    expect(network.connected).toEqual([originOf(0)]);
  });

  it('stay within the limits even if a batch still refers to removed ones', () => {
    const network = new Network();
    const retained = range(6_000).map((origin) => network.of(origin));
    for (const service of retained) {
      service.ready();
      network.opens(service.origin);
      service.isProven = true;
    }
    expect(network.connected).toHaveLength(256);
    network.services.close();
    expect(network.connected).toEqual([]);
  });

  it('have one connection to an origin, even if it was removed and added again', () => {
    const network = new Network();
    const retained = network.of(originOf(0));
    for (const origin of range(4_096, 1)) network.of(origin);
    network.proven(originOf(0));
    expect(retained.ready()).toBe(false);
    expect(network.connected).toEqual([originOf(0)]);
    expect(retained.downUntil()).toBe(network.now + 5_000);
  });
});

describe('an unreachable push service', () => {
  it('is retried after a second, then ever more rarely, and no device waits meanwhile', () => {
    const network = new Network();
    const service = network.of(originOf(1));
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      service.ready();
      network.now++;
      network.fails(originOf(1));
      const until = service.downUntil();
      expect(service.ready()).toBe(false);
      waits.push(until - network.now);
      network.now = until;
    }
    expect(waits.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 5_000]);
    // From ten seconds on they end together.
    for (const wait of waits.slice(4, 5)) expect(wait).toBeGreaterThanOrEqual(10_000);
    for (const wait of waits.slice(6)) {
      expect(wait).toBeGreaterThanOrEqual(30_000);
      expect(wait).toBeLessThan(40_000);
    }
  });

  it('ends its devices with the cause, and at once if its address is forbidden', () => {
    const network = new Network();
    const service = network.of(originOf(1));
    service.ready();
    network.fails(originOf(1), 'certificate_expired');
    service.downUntil();
    expect(service.failure()).toBe(connectionResults.certificate_expired);
    expect(service.isForbidden()).toBe(false);
    const inside = network.of(originOf(2));
    inside.ready();
    network.fails(originOf(2), 'private_address');
    expect(inside.isForbidden()).toBe(true);
    // The next attempt may find another address.
    network.now += 60_000;
    expect(inside.isForbidden()).toBe(false);
  });

  it('begins anew once it has been open', () => {
    const network = new Network();
    const service = network.of(originOf(1));
    for (let attempt = 0; attempt < 5; attempt++) {
      service.ready();
      network.fails(originOf(1));
      network.now = service.downUntil();
    }
    network.opens(originOf(1));
    expect(service.ready()).toBe(true);
    expect(service.downUntil()).toBe(0);
    network.now++;
    network.fails(originOf(1));
    expect(service.downUntil()).toBe(network.now + 1_000);
  });
});
