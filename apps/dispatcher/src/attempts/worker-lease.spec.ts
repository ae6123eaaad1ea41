import { describe, expect, it } from '@jest/globals';
import { WorkerLease } from './worker-lease.ts';
import { MemoryLeases } from '../testing/memory-store.ts';
import { VirtualTime } from '../testing/virtual-time.ts';

const START = 1_800_000_000_000;

function world() {
  const time = new VirtualTime(START);
  const leases = new MemoryLeases();
  let frozenUntil = 0;
  let broken = false;
  let blocking: Promise<void> | undefined;
  const timers = time.timers(() => (frozenUntil > time.now() ? frozenUntil : true));
  const errors: unknown[] = [];
  const store = leases.over(timers, async (effect) => {
    if (broken) throw new Error('cut off');
    const blocked = blocking;
    blocking = undefined;
    await blocked;
    return effect();
  });
  const workerLease = new WorkerLease({ name: 'w', store, timers, onError: (error) => void errors.push(error) });
  return {
    time,
    leases,
    workerLease,
    errors,
    pass: (seconds: number) => time.run(time.now() + seconds * 1000),
    freeze: (seconds: number) => void (frozenUntil = time.now() + seconds * 1000),
    cut: (on: boolean) => void (broken = on),
    block(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      blocking = promise;
      return resolve;
    },
  };
}

describe('a worker', () => {
  it('stays in one epoch as long as it renews its lease', async () => {
    const { workerLease, pass, leases, time } = world();
    workerLease.start();
    await pass(1);
    const first = workerLease.current();
    await pass(60);
    expect(workerLease.current()).toBe(first);
    expect(leases.until.get(first!.id)).toBeGreaterThan(time.now() + 5000);
  });

  it.each(['process', 'store'] as const)('keeps its lease if the %s is frozen for 10 s', async (target) => {
    const { workerLease, pass, freeze, block } = world();
    workerLease.start();
    await pass(3.9);
    const epoch = workerLease.current();
    // The next renewal is due at once.
    const unfreeze = target === 'store' ? block() : () => freeze(0);
    if (target === 'process') freeze(10);
    await pass(10.1);
    expect(epoch!.alive()).toBe(true);
    unfreeze();
    await pass(4);
    expect(workerLease.current()).toBe(epoch);
  });

  it('has no lease before the store confirms it, and can wait for it', async () => {
    const { workerLease, pass } = world();
    expect(workerLease.current()).toBeUndefined();
    workerLease.start();
    const ready = workerLease.ready(1000);
    await pass(1);
    expect((await ready).alive()).toBe(true);
  });

  it('waits no longer than its timeout', async () => {
    const { workerLease, pass, cut } = world();
    cut(true);
    workerLease.start();
    const ready = expect(workerLease.ready(1000)).rejects.toMatchObject({ kind: 'unavailable' });
    await pass(2);
    await ready;
  });

  it('continues in a new epoch after it was frozen for longer than its lease', async () => {
    const { workerLease, pass, freeze } = world();
    workerLease.start();
    await pass(3);
    const old = workerLease.current()!;
    freeze(20);
    await pass(19);
    expect(old.alive()).toBe(false);
    expect(workerLease.current()).toBeUndefined();
    await pass(3);
    const fresh = workerLease.current()!;
    expect(fresh.id).not.toBe(old.id);
    expect(workerLease.isOwn(old.id)).toBe(true);
    expect(old.alive()).toBe(false);
  });

  it('stops a second before its lease ends when it is isolated, and continues in a new epoch', async () => {
    const { workerLease, pass, cut, leases, time, errors } = world();
    workerLease.start();
    await pass(3);
    const old = workerLease.current()!;
    cut(true);
    await pass(13.5);
    expect(old.alive()).toBe(false);
    expect(leases.until.get(old.id)).toBeGreaterThan(time.now());
    cut(false);
    await pass(3);
    expect(workerLease.current()?.id).not.toBe(old.id);
    expect(errors.length).toBeGreaterThan(0);
  });

  it('keeps the lease of a retired epoch until its slices are closed', async () => {
    const { workerLease, pass, leases, time } = world();
    workerLease.start();
    await pass(1);
    const old = workerLease.current()!;
    old.open = 1;
    workerLease.retire(old);
    await pass(30);
    expect(workerLease.current()?.id).not.toBe(old.id);
    expect(old.alive()).toBe(true);
    old.open = 0;
    await pass(20);
    expect(old.alive()).toBe(false);
    expect(leases.until.get(old.id)).toBeLessThan(time.now());
  });

  it('keeps its new epoch if a renewal of the retired one is answered late', async () => {
    const { workerLease, pass, block } = world();
    workerLease.start();
    await pass(1);
    const old = workerLease.current()!;
    const answer = block();
    await pass(2);
    workerLease.retire(old);
    await pass(3);
    const fresh = workerLease.current()!;
    expect(fresh.id).not.toBe(old.id);
    answer();
    await pass(1);
    expect(workerLease.current()).toBe(fresh);
  });

  it('ends its leases when it stops', async () => {
    const { workerLease, pass, leases } = world();
    workerLease.start();
    await pass(1);
    await workerLease.stop();
    expect(leases.until.size).toBe(0);
    expect(workerLease.current()).toBeUndefined();
  });
});
