import { describe, expect, it } from '@jest/globals';
import { SliceOutcome } from '@tidings/events';
import {
  dueSlices,
  isSettled,
  type OpenSlice,
  openSliceOf,
  openSlices,
  sliceState,
  statusChange,
} from './slice-status.ts';
import { SILENCE_MS } from './protocol-times.ts';

const emitted = { partition: 1, offset: 7, at: 1_000 };
const stateOf = (slice: OpenSlice, now: number, isConsumed = true) => sliceState(slice, now, () => isConsumed);

describe('the rule of the watchdog', () => {
  it('emits a slice that was never recorded as emitted', () => {
    expect(stateOf({}, 0)).toEqual({ kind: 'due' });
  });

  it('emits again after silence for longer than a lease, once the record was passed', () => {
    const silentAt = emitted.at + SILENCE_MS;
    expect(stateOf({ emitted }, silentAt)).toEqual({ kind: 'inFlight', checkAt: silentAt + 1 });
    expect(stateOf({ emitted }, silentAt + 1)).toEqual({ kind: 'due' });
    expect(stateOf({ emitted }, silentAt + 1, false)).toMatchObject({ kind: 'inFlight' });
  });

  it('emits again slices that were emitted or deferred before the clock was set back', () => {
    const hourBack = emitted.at - 3_600_000;
    expect(stateOf({ emitted }, hourBack)).toEqual({ kind: 'due' });
    expect(stateOf({ emitted }, hourBack, false)).toMatchObject({ kind: 'inFlight' });
    expect(stateOf({ emitted, deferredUntil: 7 * 3_600_000 }, 30_000)).toEqual({ kind: 'due' });
    // Clocks of two hosts differ.
    expect(stateOf({ emitted }, emitted.at - 1_000)).toMatchObject({ kind: 'inFlight' });
  });

  it('respects a deferral, whatever was passed, until it is overdue by more than a lease', () => {
    const slice = { emitted, deferredUntil: 100_000 };
    expect(stateOf(slice, 99_999)).toEqual({ kind: 'deferred', checkAt: 100_000 + SILENCE_MS + 1 });
    expect(stateOf(slice, 100_001)).toMatchObject({ kind: 'inFlight' });
    expect(stateOf(slice, 100_001 + SILENCE_MS, false)).toEqual({ kind: 'due' });
  });
});

describe('slice statuses', () => {
  it('store 31 settled slices in a number', () => {
    const statuses = { settled: { 0: 0b101, 4: 1 << 30 } };
    expect([0, 1, 2, 30, 31, 124, 154].map((number) => isSettled(statuses, number))).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(openSlices(statuses, 4)).toEqual([1, 3]);
    expect(openSlices(undefined, 2)).toEqual([0, 1]);
  });

  it('ignore a deferral that is older than an emission', () => {
    const statuses = { emitted: { 0: [1, 7, 1_000] as const }, deferred: { 0: 900, 1: 900 } };
    expect(openSliceOf(statuses, 0)).toEqual({ emitted, deferredUntil: undefined });
    expect(openSliceOf(statuses, 1)).toEqual({ emitted: undefined, deferredUntil: 900 });
  });

  it('name the slices to be emitted now: neither settled, nor in flight, nor deferred', () => {
    const statuses = {
      emitted: { 1: [1, 7, 1_000] as const, 2: [1, 8, 1_000] as const, 3: [1, 9, 1_000] as const },
      deferred: { 3: 90_000 },
      settled: { 0: 0b1 },
    };
    const silentAt = 1_001 + SILENCE_MS;
    expect(dueSlices(statuses, 5, silentAt, ({ offset }) => offset === 7)).toEqual([1, 4]);
    expect(dueSlices(undefined, 2, silentAt, () => true)).toEqual([0, 1]);
  });

  it('change with outcomes of known kinds', () => {
    const until = new Date(5_000);
    const changeBy = (outcome: unknown) =>
      statusChange(SliceOutcome.fromPartial({ number: 4, outcome: outcome as never }));
    expect(changeBy({ $case: 'settled', value: {} })).toEqual({ settled: 4 });
    expect(changeBy({ $case: 'deferred', value: { until } })).toEqual({ deferred: 4, until: 5_000 });
    expect(changeBy(undefined)).toBeUndefined();
  });
});
