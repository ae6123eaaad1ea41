import { describe, expect, it } from '@jest/globals';
import { Bitmap } from '@tidings/kernel';
import fc from 'fast-check';
import { type DeviceOutcome, deviceOutcomeOf } from './device-outcome.ts';
import type { ChunkStages, Count, FailedDevices, PlatformMetrics, Stage } from './figures.ts';
import { funnelOf, metricsOf, windowEndOf } from './funnel.ts';
import {
  coarser,
  type HourSets,
  hourOf,
  hoursOfSecond,
  isBySecond,
  mergeHours,
  noHours,
  upToHour,
} from './hour-sets.ts';
import { type HourTotals, intervalTotalsOf } from './interval-totals.ts';
import { noInbox } from './testing/no-inbox.ts';

const RELEASED = new Date('2026-03-01T10:20:30.500Z');
const FIRST_HOUR = hourOf(RELEASED);

const history = fc.record({
  platform: fc.constantFrom(1, 3),
  outcome: fc.constantFrom(
    'sent',
    'sent',
    'sent',
    'INVALID_TOKEN',
    'NO_TOKEN',
    'FREQUENCY_CAPPING',
    'CONTROL_GROUP',
    'in flight',
  ),
  displayable: fc.boolean(),
  delivered: fc.option(fc.nat(800)),
  opened: fc.option(fc.nat(800)),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

const EXCLUDED = ['FREQUENCY_CAPPING', 'CONTROL_GROUP'];

function stagesOf(histories: readonly History[], order: readonly number[]): ChunkStages[] {
  return [1, 3].map((platform) => {
    const own = order.flatMap((i) => (histories[i]!.platform === platform ? [{ ...histories[i]!, position: i }] : []));
    const twice = [...own, ...own.reverse()];
    const where = (test: (h: History) => boolean): Bitmap =>
      Bitmap.of(own.filter(test).map(({ position }) => position));
    const hours = (pick: (h: History) => number | null): HourSets =>
      twice.reduce<HourSets>((all, h) => {
        const hour = pick(h);
        return hour === null ? all : mergeHours([all, inHour(FIRST_HOUR + hour, h.position)]);
      }, noHours);
    const failed = (category: string): FailedDevices => ({
      category,
      code: '0',
      name: category.toLowerCase(),
      hours: hours((h) => (h.outcome === category ? 0 : null)),
    });
    return {
      platform,
      eligible: where((h) => !EXCLUDED.includes(h.outcome)),
      excluded: new Map(EXCLUDED.map((reason) => [reason, where((h) => h.outcome === reason)])),
      failed: [failed('INVALID_TOKEN'), failed('NO_TOKEN')],
      sent: hours((h) => (h.outcome === 'sent' ? 0 : null)),
      notDisplayable: where((h) => h.outcome === 'sent' && !h.displayable),
      delivered: hours((h) => h.delivered),
      opened: hours((h) => h.opened),
      inbox: noInbox,
    };
  });
}

const stage = (stages: readonly Stage[], name: string): Stage => stages.find((one) => one.stage === name)!;
const piece = (of: Stage, category: string): number => of.pieces.find((one) => one.category === category)!.total.count;
const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);

/** Hours leave out platforms without any count. */
function sumOfHours(stages: readonly ChunkStages[]): PlatformMetrics[] {
  const hours = intervalTotalsOf(stages, []);
  return metricsOf(stages).map(({ platform }) => {
    const own = hours.filter((each) => each.platform === platform);
    const total = (pick: (one: HourTotals) => number): number => sum(own.map(pick));
    return {
      platform,
      sends: total(({ sends }) => sends),
      opens: total(({ opens }) => opens),
      deliveries: total(({ deliveries }) => deliveries),
      inboxOpens: 0,
      unshowableSends: total(({ unshowableSends }) => unshowableSends),
      errors: total(({ errors }) => errors),
    };
  });
}

function sumOfDevices(stages: readonly ChunkStages[], devices: number, now: Date): Record<string, number> {
  const last = hoursOfSecond(Math.min(Math.floor(now.getTime() / 1000), windowEndOf(RELEASED) / 1000));
  const positions = Array.from({ length: devices }, (_, position) => position);
  const outcomes = stages.flatMap((chunk) =>
    positions.flatMap((position) => deviceOutcomeOf(chunk, position, last) ?? []),
  );
  const count = (test: (outcome: DeviceOutcome) => boolean | undefined): number => outcomes.filter(test).length;
  return {
    audience: outcomes.length,
    excluded: count(({ excluded }) => excluded !== undefined),
    sent: count(({ sentHour }) => sentHour !== undefined),
    errors: count(({ error }) => error !== undefined),
    confirmed: count(({ sentHour, confirmed }) => sentHour !== undefined && confirmed?.inWindow),
    opened: count(({ sentHour, opened }) => sentHour !== undefined && opened?.inWindow),
  };
}

function expectSumOfPlatforms({ count, platforms }: Count): void {
  expect(sum(platforms.map((one) => one.count))).toBe(count);
}

describe('funnel', () => {
  const shuffled = fc.array(history, { maxLength: 60 }).chain((histories) =>
    fc.tuple(
      fc.constant(histories),
      fc.shuffledSubarray(
        histories.map((_, i) => i),
        { minLength: histories.length },
      ),
    ),
  );

  it('keeps the invariants of R-H14 over random histories, and agrees with the metrics', () => {
    fc.assert(
      fc.property(shuffled, fc.integer({ min: 0, max: 40 }), ([histories, order], days) => {
        const stages = stagesOf(histories, order);
        const now = new Date(RELEASED.getTime() + days * 86_400_000);
        const { funnelState, channels } = funnelOf(stages, RELEASED, now, []);
        if (histories.length === 0) {
          expect(funnelState).toBe('FUNNEL_STATE_NO_EVENTS');
          return;
        }
        const { funnel, confirmedDeliveries } = channels[0]!;
        const [audience, sent, errors, deliveries, opened] = ['AUDIENCE', 'SENT', 'ERRORS', 'DELIVERIES', 'OPENED'].map(
          (name) => stage(funnel, `STAGE_${name}`),
        ) as [Stage, Stage, Stage, Stage, Stage];
        expect(audience.total.count).toBe(histories.length);
        expect(sum(audience.pieces.map(({ total }) => total.count))).toBe(audience.total.count);
        const inFlight = histories.filter(({ outcome }) => outcome === 'in flight').length;
        expect(piece(audience, 'ELIGIBLE_AUDIENCE')).toBe(sent.total.count + errors.total.count + inFlight);
        expect(deliveries.total.count).toBe(sent.total.count);
        expect(sum(deliveries.pieces.map(({ total }) => total.count))).toBe(sent.total.count);
        expect(sum(errors.errors.map(({ total }) => total.count))).toBe(errors.total.count);
        for (const error of errors.errors) expect(sum(error.codes.map(({ count }) => count))).toBe(error.total.count);
        for (const one of funnel) {
          expectSumOfPlatforms(one.total);
          for (const { total } of one.pieces) expectSumOfPlatforms(total);
        }
        const confirmed = sum(
          deliveries.pieces.filter(({ kind }) => kind === 'KIND_PASSED').map(({ total }) => total.count),
        );
        expect(opened.total.count).toBeLessThanOrEqual(confirmed);
        expect(confirmed).toBeLessThanOrEqual(confirmedDeliveries.count);

        const metrics = metricsOf(stages);
        const metric = (pick: (one: (typeof metrics)[number]) => number): number => sum(metrics.map(pick));
        expect(metric(({ sends }) => sends)).toBe(sent.total.count);
        expect(metric((one) => one.errors)).toBe(errors.total.count);
        expect(metric(({ opens }) => opens)).toBeGreaterThanOrEqual(opened.total.count);
        expect(metric(({ deliveries: confirmedDevices }) => confirmedDevices)).toBe(confirmedDeliveries.count);
        expect(sumOfHours(stages)).toEqual(metrics);
        expect(sumOfDevices(stages, histories.length, now)).toEqual({
          audience: audience.total.count,
          excluded: audience.total.count - piece(audience, 'ELIGIBLE_AUDIENCE'),
          sent: sent.total.count,
          errors: errors.total.count,
          confirmed,
          opened: opened.total.count,
        });
        if (deliveries.pieces.length === 4) {
          expect(
            piece(deliveries, 'NOT_DISPLAYABLE_CONFIRMED') + piece(deliveries, 'NOT_DISPLAYABLE_NO_CONFIRMATION'),
          ).toBe(metric(({ unshowableSends }) => unshowableSends));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('does not depend on the order of events', () => {
    fc.assert(
      fc.property(shuffled, ([histories, order]) => {
        const straight = stagesOf(
          histories,
          histories.map((_, i) => i),
        );
        const now = new Date(RELEASED.getTime() + 86_400_000);
        expect(funnelOf(stagesOf(histories, order), RELEASED, now, [])).toEqual(funnelOf(straight, RELEASED, now, []));
      }),
    );
  });

  const one = (outcome: History['outcome'], over: Partial<History> = {}): ChunkStages[] =>
    stagesOf([{ platform: 1, outcome, displayable: true, delivered: null, opened: null, ...over }], [0]);
  const after = (days: number): Date => new Date(RELEASED.getTime() + days * 86_400_000);

  it.each([
    [0, 'FUNNEL_STATE_READY', 'DELIVERIES_FORM_PER_DEVICE', 'BASIC_FORM_REASON_UNSPECIFIED'],
    [31, 'FUNNEL_STATE_READY', 'DELIVERIES_FORM_BASIC', 'BASIC_FORM_REASON_RETENTION'],
  ])('depends on its age: after %i days it is %s in %s', (days, state, form, reason) => {
    const funnel = funnelOf(one('sent'), RELEASED, after(days), []);
    expect(funnel).toMatchObject({ funnelState: state, windowFrom: new Date('2026-03-01T10:20:30Z') });
    expect(funnel.channels[0]).toMatchObject({ deliveriesForm: form, basicFormReason: reason });
  });

  it.each([
    ['sent', 0, 'DELIVERIES_FORM_BASIC', 'BASIC_FORM_REASON_UNAVAILABLE'],
    ['sent', 31, 'DELIVERIES_FORM_BASIC', 'BASIC_FORM_REASON_RETENTION'],
    ['NO_TOKEN', 0, 'DELIVERIES_FORM_BASIC', 'BASIC_FORM_REASON_NO_DELIVERIES'],
  ] as const)('is basic for an untracked application: %s after %i days', (outcome, days, form, reason) => {
    const [channel] = funnelOf(one(outcome), RELEASED, after(days), [], false).channels;
    expect(channel).toMatchObject({ deliveriesForm: form, basicFormReason: reason });
    const rows = stage(channel!.funnel, 'STAGE_DELIVERIES').pieces.map(({ category }) => category);
    expect(rows).toEqual(['CONFIRMED_BY_DEVICE', 'NO_CONFIRMATION']);
  });

  it('has a channel for each kind of platform that has an audience, in order (R-H8)', () => {
    const on = (platform: number): ChunkStages => ({ ...one('NO_TOKEN')[0]!, platform });
    const { channels } = funnelOf([7, 11, 1].map(on), RELEASED, after(0), []);
    expect(channels.map(({ channel, basicFormReason }) => [channel, basicFormReason])).toEqual([
      ['CHANNEL_MOBILE_PUSH', 'BASIC_FORM_REASON_NO_DELIVERIES'],
      ['CHANNEL_WEB_PUSH', 'BASIC_FORM_REASON_NO_DELIVERIES'],
      ['CHANNEL_OTHER', 'BASIC_FORM_REASON_NOT_APPLICABLE'],
    ]);
  });

  it('is basic while nothing was sent, expired after 90 days, and empty without processing', () => {
    expect(funnelOf(one('NO_TOKEN'), RELEASED, after(0), []).channels[0]?.basicFormReason).toBe(
      'BASIC_FORM_REASON_NO_DELIVERIES',
    );
    expect(funnelOf(one('sent'), RELEASED, after(90), [])).toMatchObject({
      funnelState: 'FUNNEL_STATE_EXPIRED',
      channels: [],
    });
    expect(funnelOf([], undefined, after(0), []).funnelState).toBe('FUNNEL_STATE_NO_EVENTS');
  });

  it('counts reports in the rows only inside the window, and in confirmed deliveries always', () => {
    const [channel] = funnelOf(one('sent', { opened: 31 * 24 }), RELEASED, after(32), []).channels;
    expect(channel?.confirmedDeliveries.count).toBe(1);
    expect(stage(channel!.funnel, 'STAGE_OPENED').total.count).toBe(0);
  });
});

describe('the end of the report window (R-H17)', () => {
  const end = windowEndOf(RELEASED) / 1000;
  const reported = (at: number, windowEnd: number | undefined, position = 0): HourSets =>
    new Map([
      [isBySecond(hourOf(at * 1000), windowEnd) ? hoursOfSecond(at) : hourOf(at * 1000), Bitmap.of([position])],
    ]);
  const openedIn = (opened: HourSets, now: Date): number => {
    const set = Bitmap.of([0, 1, 2]);
    const stages = {
      platform: 1,
      eligible: set,
      excluded: new Map(),
      failed: [],
      notDisplayable: Bitmap.empty,
      sent: new Map([[FIRST_HOUR, set]]),
      delivered: noHours,
      opened,
      inbox: noInbox,
    };
    const [channel] = funnelOf([stages], RELEASED, now, []).channels;
    return channel!.funnel.find((one) => one.stage === 'STAGE_OPENED')!.total.count;
  };
  const later = new Date((end + 86_400) * 1000);

  it('is a second, and includes reports of that second', () => {
    expect(new Date(end * 1000)).toEqual(new Date('2026-03-31T10:20:30Z'));
    for (const windowEnd of [end, undefined]) {
      expect([-1, 0, 1].map((seconds) => openedIn(reported(end + seconds, windowEnd), later))).toEqual([1, 1, 0]);
    }
  });

  it('is now while the window is open, and includes reports of this second', () => {
    const now = new Date('2026-03-01T11:00:00.900Z');
    for (const windowEnd of [end, undefined])
      expect(openedIn(reported(now.getTime() / 1000 - 0.9, windowEnd), now)).toBe(1);
  });

  it('costs one set per hour except in the hour of the end, whenever the end is known', () => {
    const seconds = [end - 7200, end - 7199, end - 1, end + 1, end + 7200].map((at, i) => reported(at, undefined, i));
    const sets = coarser(mergeHours(seconds), end);
    expect([...sets].map(([time, set]) => [Math.round(time * 3600) - end, set.size])).toEqual([
      [Math.floor(end / 3600) * 3600 - 7200 - end, 2],
      [-1, 1],
      [1, 1],
      [Math.floor(end / 3600) * 3600 + 7200 - end, 1],
    ]);
    expect(coarser(sets, end)).toBe(sets);
  });
});

describe('totals by interval (R-H5)', () => {
  it('count each counter in the hour of its own event, in order, and restricted to platforms', () => {
    const histories: History[] = [
      { platform: 3, outcome: 'sent', displayable: false, delivered: 2, opened: 1 },
      { platform: 1, outcome: 'NO_TOKEN', displayable: true, delivered: null, opened: 30 },
      { platform: 1, outcome: 'CONTROL_GROUP', displayable: true, delivered: null, opened: 5 },
    ];
    const stages = stagesOf(histories, [0, 1, 2]);
    const shown = (platforms: number[]) =>
      intervalTotalsOf(stages, platforms).map(({ hour, platform, ...counters }) => [
        ...[hour - FIRST_HOUR, platform],
        ...Object.entries(counters).flatMap(([name, count]) => (count > 0 ? `${name} ${count}` : [])),
      ]);
    const apple = [
      [0, 1, 'errors 1'],
      [30, 1, 'opens 1', 'deliveries 1'],
    ];
    expect(shown([])).toEqual([
      apple[0],
      [0, 3, 'sends 1', 'unshowableSends 1'],
      [1, 3, 'opens 1', 'deliveries 1'],
      apple[1],
    ]);
    expect(shown([1])).toEqual(apple);
  });

  it('count seconds of an hour that is stored by seconds in that hour', () => {
    const [stages] = stagesOf(
      [{ platform: 1, outcome: 'sent', displayable: true, delivered: null, opened: null }],
      [0],
    );
    const opened = new Map([[FIRST_HOUR + 0.75, Bitmap.of([0])]]);
    expect(intervalTotalsOf([{ ...stages!, opened }], [])).toMatchObject([{ hour: FIRST_HOUR, opens: 1 }]);
  });
});

describe('hour sets', () => {
  it('keep a device in its earliest hour', () => {
    const late = inHour(9, 1, 2);
    const both = mergeHours([late, inHour(7, 2, 3)]);
    expect(positionsOf(both)).toEqual([
      [7, [2, 3]],
      [9, [1]],
    ]);
    expect(positionsOf(mergeHours([both, inHour(8, 2)]))).toEqual(positionsOf(both));
    expect([...upToHour(mergeHours([late, both]), 8).positions()]).toEqual([2, 3]);
  });

  it('merge hours of several sources', () => {
    const merged = mergeHours([inHour(9, 5), inHour(8, 1), noHours, inHour(9, 4), inHour(8, 2)]);
    expect(positionsOf(merged)).toEqual([
      [8, [1, 2]],
      [9, [4, 5]],
    ]);
  });
});

const inHour = (hour: number, ...positions: number[]): HourSets => new Map([[hour, Bitmap.of(positions)]]);
const positionsOf = (hours: HourSets): [number, number[]][] =>
  [...hours].map(([hour, set]) => [hour, [...set.positions()]]);
