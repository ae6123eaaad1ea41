import { describe, expect, it } from '@jest/globals';
import { apnsRefusal, localResults, sent } from '@tidings/channels';
import { SliceOutcome } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import fc from 'fast-check';
import { answered, type DeviceResult, merged, noResults, resultsOf, settledOutcome } from './batch-results.ts';

const unregistered = apnsRefusal(410, '{"reason":"Unregistered"}').result;

const device = fc.record({
  position: fc.nat(65_535),
  platform: fc.constantFrom(1, 3),
  hour: fc.constantFrom(488_000, 488_001),
  displayable: fc.boolean(),
  result: fc.constantFrom(sent, unregistered, localResults.timeout, localResults.noDevice),
  deadToken: fc.constant(undefined),
  since: fc.constant(undefined),
});
const devices = fc
  .uniqueArray(device, { selector: ({ position }) => position, maxLength: 60 })
  .map((all) =>
    all.map((each): DeviceResult =>
      each.result === unregistered ? { ...each, deadToken: `t${each.position}` } : each,
    ),
  );

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const size = (set: Uint8Array): number => Bitmap.decode(set).size;

describe('results', () => {
  it('have every device in exactly one set, regardless of order and grouping', () => {
    fc.assert(
      fc.property(devices, fc.nat(60), (all, cut) => {
        const whole = resultsOf(all);
        const parts = [all.slice(0, cut), all.slice(cut)].map((part) => resultsOf(part.toReversed()));
        expect(merged(parts[1]!, parts[0]!)).toEqual(whole);
        expect(sum([...whole.sent, ...whole.failed].map(({ set }) => size(set)))).toBe(all.length);
        expect([...answered(whole).positions()]).toEqual(all.map(({ position }) => position).toSorted((a, b) => a - b));
        const hidden = all.filter(({ displayable, result }) => !displayable && result === sent);
        expect(sum(whole.sent.map(({ notDisplayable }) => size(notDisplayable)))).toBe(hidden.length);
        expect(whole.deadTokens.map(({ token }) => token).toSorted()).toEqual(
          all.flatMap(({ deadToken }) => deadToken ?? []).toSorted(),
        );
      }),
    );
  });

  it('name category, code and name of a failure', () => {
    const [failed] = resultsOf([
      { position: 3, platform: 1, hour: 5, displayable: true, result: unregistered, deadToken: 'ab', since: 7 },
    ]).failed;
    expect(failed).toMatchObject({
      category: 'INVALID_TOKEN',
      code: '410',
      name: 'Unregistered',
      platform: 1,
      hour: 5,
    });
  });

  it('yield an identical event each time', () => {
    const slice = {
      message: 'm',
      messageId: 1n,
      account: 'a',
      application: 'b',
      bucket: 0,
      chunk: 1,
      platform: 1,
      variant: 'alert',
      number: 2,
    };
    fc.assert(
      fc.property(devices, (all) => {
        const bytes = [all, all.toReversed()].map((each) =>
          Buffer.from(
            SliceOutcome.encode(settledOutcome(slice, resultsOf(each), new Date(5), new Date(9))).finish(),
          ).toString('hex'),
        );
        expect(bytes[0]).toBe(bytes[1]);
      }),
    );
  });

  it('are empty without devices', () => {
    expect(resultsOf([])).toEqual(noResults);
  });
});
