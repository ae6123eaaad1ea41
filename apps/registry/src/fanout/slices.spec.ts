import { describe, expect, it } from '@jest/globals';
import { isSettled, openWindows } from './marks.ts';
import { judge, type OpenWindow, SILENCE_MS } from './windows.ts';

const emitted = { partition: 1, offset: 7, at: 1_000 };
const ask = (window: OpenWindow, now: number, hasPassed = true) => judge(window, now, () => hasPassed);

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
    const window = { emitted, deferredUntil: 100_000 };
    expect(ask(window, 99_999)).toEqual({ kind: 'waiting', checkAt: 100_000 + SILENCE_MS + 1 });
    expect(ask(window, 100_001)).toMatchObject({ kind: 'flying' });
    expect(ask(window, 100_001 + SILENCE_MS, false)).toEqual({ kind: 'due' });
  });
});

describe('marks', () => {
  it('hold 31 windows to a number', () => {
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
    expect(openWindows(marks, 4)).toEqual([1, 3]);
    expect(openWindows(undefined, 2)).toEqual([0, 1]);
  });
});
