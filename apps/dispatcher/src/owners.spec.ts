import { describe, expect, it } from '@jest/globals';
import { Owners } from './owners.ts';
import { MemoryLeases } from './testing/memory-store.ts';
import { VirtualTime } from './testing/virtual-time.ts';

const START = 1_800_000_000_000;

function world() {
  const time = new VirtualTime(START);
  const leases = new MemoryLeases();
  let frozenUntil = 0;
  let broken = false;
  let holding: Promise<void> | undefined;
  const timers = time.timers(() => (frozenUntil > time.now() ? frozenUntil : true));
  const errors: unknown[] = [];
  const store = leases.over(async (effect) => {
    if (broken) throw new Error('cut off');
    const held = holding;
    holding = undefined;
    await held;
    return effect();
  });
  const owners = new Owners({ name: 'w', store, timers, onError: (error) => void errors.push(error) });
  return {
    ...{ time, leases, owners, errors },
    pass: (seconds: number) => time.run(time.now() + seconds * 1000),
    freeze: (seconds: number) => void (frozenUntil = time.now() + seconds * 1000),
    cut: (on: boolean) => void (broken = on),
    /** Keeps the next call waiting for its answer; call the result to give it. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      holding = promise;
      return resolve;
    },
  };
}

describe('a worker', () => {
  it('is one incarnation as long as it renews its lease', async () => {
    const { owners, pass, leases, time } = world();
    owners.start();
    await pass(1);
    const first = owners.current();
    await pass(60);
    expect(owners.current()).toBe(first);
    expect(leases.until.get(first!.id)).toBeGreaterThan(time.now() + 5000);
  });

  it.each(['process', 'store'] as const)('keeps its lease where the %s stands still for 10 s', async (what) => {
    const { owners, pass, freeze, hold } = world();
    owners.start();
    await pass(3.9);
    const incarnation = owners.current();
    // The next renewal is due at once.
    const goOn = what === 'store' ? hold() : () => freeze(0);
    if (what === 'process') freeze(10);
    await pass(10.1);
    expect(incarnation!.alive()).toBe(true);
    goOn();
    await pass(4);
    expect(owners.current()).toBe(incarnation);
  });

  it('has no lease before the store says so, and can wait for it', async () => {
    const { owners, pass } = world();
    expect(owners.current()).toBeUndefined();
    owners.start();
    const ready = owners.ready(1000);
    await pass(1);
    expect((await ready).alive()).toBe(true);
  });

  it('waits no longer than told', async () => {
    const { owners, pass, cut } = world();
    cut(true);
    owners.start();
    const ready = expect(owners.ready(1000)).rejects.toMatchObject({ kind: 'unavailable' });
    await pass(2);
    await ready;
  });

  it('goes on as a new incarnation after it was frozen for longer than its lease', async () => {
    const { owners, pass, freeze } = world();
    owners.start();
    await pass(3);
    const old = owners.current()!;
    freeze(20);
    await pass(19);
    expect(old.alive()).toBe(false);
    expect(owners.current()).toBeUndefined();
    await pass(3);
    const fresh = owners.current()!;
    expect(fresh.id).not.toBe(old.id);
    expect(owners.isOwn(old.id)).toBe(true);
    expect(old.alive()).toBe(false);
  });

  it('stops a second before its lease ends when it is cut off, and comes back as a new incarnation', async () => {
    const { owners, pass, cut, leases, time, errors } = world();
    owners.start();
    await pass(3);
    const old = owners.current()!;
    cut(true);
    await pass(13.5);
    expect(old.alive()).toBe(false);
    expect(leases.until.get(old.id)).toBeGreaterThan(time.now());
    cut(false);
    await pass(3);
    expect(owners.current()?.id).not.toBe(old.id);
    expect(errors.length).toBeGreaterThan(0);
  });

  it('keeps the lease of a retired incarnation until its windows are closed', async () => {
    const { owners, pass, leases, time } = world();
    owners.start();
    await pass(1);
    const old = owners.current()!;
    old.open = 1;
    owners.retire(old);
    await pass(30);
    expect(owners.current()?.id).not.toBe(old.id);
    expect(old.alive()).toBe(true);
    old.open = 0;
    await pass(20);
    expect(old.alive()).toBe(false);
    expect(leases.until.get(old.id)).toBeLessThan(time.now());
  });

  it('stays another one where a renewal of the retired one is answered late', async () => {
    const { owners, pass, hold } = world();
    owners.start();
    await pass(1);
    const old = owners.current()!;
    const answer = hold();
    await pass(2);
    owners.retire(old);
    await pass(3);
    const fresh = owners.current()!;
    expect(fresh.id).not.toBe(old.id);
    answer();
    await pass(1);
    expect(owners.current()).toBe(fresh);
  });

  it('ends its leases when it stops', async () => {
    const { owners, pass, leases } = world();
    owners.start();
    await pass(1);
    await owners.stop();
    expect(leases.until.size).toBe(0);
    expect(owners.current()).toBeUndefined();
  });
});
