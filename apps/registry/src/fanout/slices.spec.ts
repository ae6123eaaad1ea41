import { describe, expect, it } from '@jest/globals';
import { isSettled, openSlices } from './marks.ts';
import { judge, type OpenSlice, SILENCE_MS } from './slices.ts';

const emitted = { partition: 1, offset: 7, at: 1_000 };
const ask = (slice: OpenSlice, now: number, hasPassed = true) => judge(slice, now, () => hasPassed);

describe('the rule of the watchdog', () => {
  it('emits what was never recorded as emitted', () => {
    expect(ask({}, 0)).toEqual({ kind: 'due' });
  });

  it('emits again after silence for longer than a lease, once the record was passed', () => {
    const silentAt = emitted.at + SILENCE_MS;
    expect(ask({ emitted }, silentAt)).toEqual({ kind: 'flying', checkAt: silentAt + 1 });
    expect(ask({ emitted }, silentAt + 1)).toEqual({ kind: 'due' });
    expect(ask({ emitted }, silentAt + 1, false)).toMatchObject({ kind: 'flying' });
  });

  it('lets a deferral wait, whatever was passed, until it is overdue by more than a lease', () => {
    const slice = { emitted, deferredUntil: 100_000 };
    expect(ask(slice, 99_999)).toEqual({ kind: 'waiting', checkAt: 100_000 + SILENCE_MS + 1 });
    expect(ask(slice, 100_001)).toMatchObject({ kind: 'flying' });
    expect(ask(slice, 100_001 + SILENCE_MS, false)).toEqual({ kind: 'due' });
  });
});

describe('marks', () => {
  it('hold 31 slices to a number', () => {
    const marks = { s: { 0: 0b101, 4: 1 << 30 } };
    expect([0, 1, 2, 30, 31, 124, 154].map((w) => isSettled(marks, w))).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(openSlices(marks, 4)).toEqual([1, 3]);
    expect(openSlices(undefined, 2)).toEqual([0, 1]);
  });
});
