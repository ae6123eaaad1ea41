import { describe, expect, it } from '@jest/globals';
import { DeviceSlots } from './device-slots.ts';
import { VirtualTime } from '../testing/virtual-time.ts';

const never = new Promise<void>(() => undefined);

function world() {
  const time = new VirtualTime(1_000_000);
  const pressed: string[] = [];
  const slots = new DeviceSlots({
    total: 8,
    share: 2,
    timers: time.timers(() => true),
    onPressure: (credential) => void pressed.push(credential),
  });
  const given: string[] = [];
  const take = (credential: string, count = 1): void =>
    void slots.take(credential, count, never).then((isGranted) => isGranted && given.push(credential));
  const pass = (ms: number): Promise<void> => time.run(time.now() + ms);
  return { slots, given, take, pass, pressed };
}

describe('slots for open devices', () => {
  it('are assigned to one credential while it is alone', async () => {
    const { slots, given, take, pass } = world();
    for (let i = 0; i < 10; i++) take('a');
    await pass(1);
    expect(given).toHaveLength(8);
    slots.release('a', 1);
    await pass(1);
    expect(given).toHaveLength(9);
    expect(slots.used).toBe(8);
  });

  it('are assigned to others first, and to each at most its share, while others wait', async () => {
    const { slots, given, take, pass } = world();
    for (let i = 0; i < 12; i++) take('a');
    await pass(1);
    for (let i = 0; i < 3; i++) take('b');
    await pass(1);
    expect(given).toHaveLength(8);
    for (let i = 0; i < 8; i++) slots.release('a', 1);
    await pass(1);
    expect(given.slice(8).toSorted()).toEqual(['a', 'a', 'b', 'b']);
    expect([slots.isSaturated('a'), slots.isSaturated('b')]).toEqual([true, true]);
    expect(slots.saturated().toSorted()).toEqual(['a', 'b']);
  });

  it('are assigned to one credential again when others have not requested any for a while', async () => {
    const { slots, given, take, pass } = world();
    for (let i = 0; i < 8; i++) take('a');
    await pass(1);
    take('b');
    slots.release('a', 8);
    await pass(1);
    slots.release('b', 1);
    for (let i = 0; i < 8; i++) take('a');
    await pass(1);
    expect(given.slice(9)).toEqual(['a', 'a']);
    await pass(6000);
    slots.release('a', 1);
    await pass(1);
    expect(given).toHaveLength(17);
  });

  it('are released by credentials above their share as soon as another one waits', async () => {
    const { take, pass, pressed } = world();
    for (let i = 0; i < 9; i++) take('a');
    await pass(1000);
    expect(pressed).toEqual([]);
    take('b');
    await pass(50);
    expect(pressed).toEqual([]);
    await pass(100);
    expect(pressed).toEqual(['a']);
  });

  it('are reserved for a waiting large slice against small ones of others', async () => {
    const { slots, given, take, pass } = world();
    take('a', 8);
    await pass(1);
    take('b', 6);
    take('c');
    slots.release('a', 3);
    await pass(1);
    expect(given).toEqual(['a']);
    slots.release('a', 3);
    await pass(1);
    expect(given).toEqual(['a', 'b']);
    slots.release('a', 2);
    await pass(1);
    expect(given).toEqual(['a', 'b', 'c']);
  });

  it('are not lost for a credential that requests while the free ones are too few for the next slice of another', async () => {
    const { slots, given, take, pass } = world();
    take('b', 7);
    await pass(1);
    take('b', 3);
    take('a');
    slots.release('b', 1);
    await pass(1);
    expect(given).toEqual(['b', 'a']);
    slots.release('a', 1);
    slots.release('b', 6);
    await pass(1);
    expect(given).toEqual(['b', 'a', 'b']);
    expect(slots.used).toBe(3);
  });

  it('are assigned in the order of requests within a credential', async () => {
    const { slots, pass } = world();
    const order: number[] = [];
    await slots.take('a', 8, never);
    for (const n of [5, 1, 2]) void slots.take('a', n, never).then(() => order.push(n));
    slots.release('a', 4);
    await pass(1);
    expect(order).toEqual([]);
    slots.release('a', 4);
    await pass(1);
    expect(order).toEqual([5, 1, 2]);
  });

  it('are awaited until the deadline, and then not lost', async () => {
    const { slots, pass } = world();
    await slots.take('a', 8, never);
    const late = Promise.withResolvers<void>();
    const waiting = slots.take('a', 8, late.promise);
    const behind = slots.take('a', 1, never);
    slots.release('a', 1);
    late.resolve();
    expect(await waiting).toBe(false);
    expect(await behind).toBe(true);
    slots.release('a', 8);
    await pass(1);
    expect(slots.used).toBe(0);
    expect(() => slots.release('a', 1)).toThrow();
  });
});
