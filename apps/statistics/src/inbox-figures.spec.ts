import { describe, expect, it } from '@jest/globals';
import { funnelOf, noMailColumns, windowEndOf } from '@tidings/delivery';
import { PlanEvent, ReportKind, type Reports } from '@tidings/events';
import { Bitmap, platformCodes } from '@tidings/kernel';
import fc from 'fast-check';
import { changesOfReports, gatherReports } from './report-changes.ts';
import { type Change, changesOfPlan, mergeParts, noParts, type Parts, stagesOf } from './stages.ts';

const RELEASED = new Date('2026-03-01T10:20:30Z');
const HOUR_MS = 3_600_000;
const DAYS_40 = 40 * 24;
const key = { message: 'M', messageId: 1n, account: 'a', application: 'A', chunk: 0 };
const set = (position: number): Buffer => Buffer.from(Bitmap.of([position]).encode());
const STEPS = [
  ReportKind.REPORT_KIND_INBOX_REACHED,
  ReportKind.REPORT_KIND_INBOX_READ,
  ReportKind.REPORT_KIND_INBOX_OPENED,
] as const;

const history = fc.record({
  platform: fc.constantFrom(...platformCodes),
  excluded: fc.boolean(),
  hasToken: fc.boolean(),
  steps: fc.nat(3),
  hour: fc.nat(DAYS_40),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

function planned({ platform, excluded, hasToken }: History, position: number): Change[] {
  const eligible = excluded ? [] : [{ platform, set: set(position) }];
  const excludedSets = excluded ? [{ reason: 'CONTROL_GROUP', platform, set: set(position) }] : [];
  const own = { eligible, excluded: excludedSets };
  const none = { eligible: [], excluded: [] };
  const value = { chunk: 0, ...(hasToken ? own : none), inbox: { removal: 0n, ...(hasToken ? none : own) } };
  return changesOfPlan(PlanEvent.fromPartial({ message: 'M', application: 'A', event: { $case: 'chunk', value } }));
}

function reported({ platform, steps, hour }: History, position: number): Change[] {
  const at = [Math.floor((RELEASED.getTime() + hour * HOUR_MS) / 1000)];
  const columns = { positions: [position], platforms: [platform], at, entry: undefined, ...noMailColumns };
  return STEPS.slice(0, steps).flatMap((kind) => {
    const value: Reports = { ...key, kind, ...columns };
    return changesOfReports(gatherReports([{ key: 'M/A/0', value }]), () => windowEndOf(RELEASED) / 1000);
  });
}

const drawn = fc.array(history, { minLength: 1, maxLength: 30 }).chain((histories) => {
  const facts = histories.flatMap((one, position) => [...planned(one, position), ...reported(one, position)]);
  const twice = [...facts, ...facts];
  return fc.record({
    histories: fc.constant(histories),
    facts: fc.shuffledSubarray(twice, { minLength: twice.length }),
  });
});

function stagesAfter(facts: readonly Change[]) {
  const groups = new Map<number, Parts>();
  for (const { group, part, value } of facts) {
    const parts = groups.get(group.platform) ?? noParts;
    groups.set(group.platform, { ...parts, [part]: mergeParts(part, [parts[part], value] as never) });
  }
  return [...groups].map(([platform, parts]) => stagesOf(platform, parts));
}

describe('the App Inbox, of facts that arrive twice and in any order', () => {
  it('has the devices of each step, in stages that never grow, by platform (R-H14, R-H20)', () => {
    fc.assert(
      fc.property(drawn, ({ histories, facts }) => {
        const now = new Date(RELEASED.getTime() + (DAYS_40 + 1) * HOUR_MS);
        const { channels } = funnelOf(stagesAfter(facts), RELEASED, now, []);
        const inbox = channels.find(({ channel }) => channel === 'CHANNEL_APP_INBOX')!;
        const entries = histories.filter(({ excluded }) => !excluded);
        const end = (windowEndOf(RELEASED) - RELEASED.getTime()) / HOUR_MS;
        const went = (steps: number) => entries.filter((one) => one.steps >= steps && one.hour <= end);
        const expected = [histories, entries, [], went(1), went(2), went(3)].map((devices) => {
          const byPlatform = Map.groupBy(devices, ({ platform }) => platform);
          const platforms = [...byPlatform].map(([platform, own]) => ({ platform, count: own.length }));
          return { count: devices.length, platforms: platforms.sort((a, b) => a.platform - b.platform) };
        });
        expect(inbox.funnel.map(({ total }) => total)).toEqual(expected);
        const [audience] = inbox.funnel;
        expect(audience!.pieces.reduce((sum, { total }) => sum + total.count, 0)).toBe(histories.length);
        expect(inbox.confirmedDeliveries.count).toBe(entries.filter(({ steps }) => steps > 0).length);
      }),
      { numRuns: 150 },
    );
  });
});
