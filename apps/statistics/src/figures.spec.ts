import { describe, expect, it } from '@jest/globals';
import {
  bounceCategories,
  type ChunkStages,
  deviceOutcomeOf,
  type Funnel,
  funnelOf,
  hourOf,
  hoursOfSecond,
  metricsOf,
  noMailColumns,
  windowEndOf,
} from '@tidings/delivery';
import { type MailOpen, PlanEvent, ReportKind, type Reports, SliceOutcome } from '@tidings/events';
import { Bitmap, Platform, platformCodes } from '@tidings/kernel';
import fc from 'fast-check';
import { changesOfReports, gatherReports } from './report-changes.ts';
import { type Change, changesOfOutcome, changesOfPlan, mergeParts, noParts, type Parts, stagesOf } from './stages.ts';

const RELEASED = new Date('2026-03-01T10:20:30.500Z');
const HOUR_MS = 3_600_000;
const DAYS_40 = 40 * 24;

const EXCLUSIONS = ['FREQUENCY_CAPPING', 'UNSUBSCRIBED', 'BOUNCED', 'COMPLAINT', 'FILTERED_BY_CATEGORY'];
const ERRORS = ['NO_TOKEN', 'PROVIDER_ERROR', 'INTERNAL_ERROR'];
const REJECTS = ['UNSUBSCRIBED', 'BOUNCED', 'COMPLAINT'];

const hours = fc.array(fc.nat(DAYS_40), { maxLength: 2 });
const bounce = fc.record({ category: fc.constantFrom(...bounceCategories), hour: fc.nat(DAYS_40) });
const open = fc.record({ by: fc.constantFrom(1, 2, 3, 4), hour: fc.nat(DAYS_40) });

const history = fc.record({
  platform: fc.oneof(fc.constant(Platform.Email), fc.constantFrom(...platformCodes)),
  outcome: fc.oneof(fc.constantFrom('sent', 'sent', 'refused', 'in flight'), fc.constantFrom(...EXCLUSIONS, ...ERRORS)),
  refused: fc.constantFrom(...bounceCategories),
  displayable: fc.boolean(),
  delivered: hours,
  opened: hours,
  clicked: hours,
  unsubscribed: hours,
  complained: hours,
  returned: fc.array(bounce, { maxLength: 2 }),
  mailOpened: fc.array(open, { maxLength: 2 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

const set = (position: number): Buffer => Buffer.from(Bitmap.of([position]).encode());
const key = { message: 'M', messageId: 1n, account: 'a', application: 'A', chunk: 0 };
const FIRST_HOUR = hourOf(RELEASED);
const isMail = ({ platform }: History): boolean => platform === Platform.Email;
const isSent = (one: History): boolean => one.outcome === 'sent' || isRefused(one);
const isRefused = (one: History): boolean => one.outcome === 'refused' && isMail(one);
const isEligible = ({ outcome }: History): boolean => !EXCLUSIONS.includes(outcome);

function planned({ platform, outcome }: History, position: number): Change[] {
  const one = [{ platform, set: set(position) }];
  const value = isEligible({ outcome } as History)
    ? { eligible: one }
    : { excluded: [{ reason: outcome, platform, set: set(position) }] };
  return changesOfPlan(
    PlanEvent.fromPartial({ message: 'M', application: 'A', event: { $case: 'chunk', value: { chunk: 0, ...value } } }),
  );
}

function settled(one: History, position: number): Change[] {
  const { platform, outcome, refused, displayable } = one;
  const at = { platform, hour: FIRST_HOUR, set: set(position) };
  const failed = { category: outcome, code: '0', name: outcome.toLowerCase(), ...at };
  const value = {
    sent: isSent(one)
      ? [{ ...at, notDisplayable: displayable ? Buffer.from(Bitmap.empty.encode()) : set(position) }]
      : [],
    failed: ERRORS.includes(outcome) ? [failed] : [],
    bounced: isRefused(one) ? [{ ...at, category: refused, code: '550', name: '' }] : [],
  };
  return changesOfOutcome(SliceOutcome.fromPartial({ ...key, outcome: { $case: 'settled', value } }));
}

function reported(one: History, position: number, now: Date): Reports[] {
  const report = (kind: ReportKind, hour: number, columns: Partial<Reports> = {}): Reports[] => {
    const at = RELEASED.getTime() + hour * HOUR_MS;
    if (at > now.getTime()) return [];
    const own = { positions: [position], platforms: [one.platform], at: [Math.floor(at / 1000)], entry: undefined };
    return [{ ...key, kind, ...own, ...noMailColumns, ...columns }];
  };
  const each = (kind: ReportKind, of: readonly number[]) => of.flatMap((hour) => report(kind, hour));
  const ofDevices = [
    ...each(ReportKind.REPORT_KIND_DELIVERED, one.delivered),
    ...each(ReportKind.REPORT_KIND_OPENED, one.opened),
  ];
  if (!isMail(one)) return ofDevices;
  return [
    // Reports of devices of e-mail count nowhere.
    ...ofDevices,
    ...one.mailOpened.flatMap(({ by, hour }) =>
      report(ReportKind.REPORT_KIND_MAIL_OPENED, hour, { opens: [by as MailOpen] }),
    ),
    ...one.returned.flatMap(({ category, hour }) =>
      report(ReportKind.REPORT_KIND_MAIL_BOUNCED, hour, { categories: [category], codes: ['550'], names: [''] }),
    ),
    ...each(ReportKind.REPORT_KIND_MAIL_CLICKED, one.clicked),
    ...each(ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED, one.unsubscribed),
    ...each(ReportKind.REPORT_KIND_MAIL_COMPLAINED, one.complained),
  ];
}

function applyAll(facts: readonly Change[]): ChunkStages[] {
  const groups = new Map<number, Parts>();
  for (const { group, part, value } of facts) {
    const parts = groups.get(group.platform) ?? noParts;
    groups.set(group.platform, { ...parts, [part]: mergeParts(part, [parts[part], value] as never) });
  }
  return [...groups].map(([platform, parts]) => stagesOf(platform, parts));
}

const factsOf = (histories: readonly History[], now: Date): Change[] => {
  const reports = histories.flatMap((one, position) => reported(one, position, now));
  const end = windowEndOf(RELEASED) / 1000;
  return [
    ...histories.flatMap((one, position) => [...planned(one, position), ...settled(one, position)]),
    ...reports.flatMap((value) => changesOfReports(gatherReports([{ key: 'M/A/0', value }]), () => end)),
  ];
};

const drawn = fc
  .tuple(fc.array(history, { minLength: 1, maxLength: 30 }), fc.nat(DAYS_40))
  .chain(([histories, hour]) => {
    const now = new Date(RELEASED.getTime() + hour * HOUR_MS);
    const facts = factsOf(histories, now);
    const twice = [...facts, ...facts];
    return fc.record({
      histories: fc.constant(histories),
      now: fc.constant(now),
      facts: fc.shuffledSubarray(twice, { minLength: twice.length }),
    });
  });

type Channel = Funnel['channels'][number];
const stageOf = ({ funnel }: Channel, name: string) => funnel.find(({ stage }) => stage === `STAGE_${name}`)!;
const countOf = (channel: Channel, name: string, category?: string): number => {
  const stage = stageOf(channel, name);
  return category === undefined
    ? stage.total.count
    : stage.pieces.find((piece) => piece.category === category)!.total.count;
};
const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);

/** R-H14. */
function expectInvariants(channel: Channel, inFlight: number, isDone: boolean): void {
  const stages = channel.funnel;
  const of = (name: string, category?: string) => countOf(channel, name, category);
  for (const { stage, total, pieces, errors } of stages) {
    const disjoint = pieces.filter(({ kind }) => kind !== 'KIND_SUBSET');
    if (disjoint.length > 0)
      expect([stage, sum(disjoint.map((piece) => piece.total.count))]).toEqual([stage, total.count]);
    for (const counted of [total, ...pieces.map((piece) => piece.total), ...errors.map((error) => error.total)])
      expect(sum(counted.platforms.map(({ count }) => count))).toBe(counted.count);
    for (const { codes, total: ofCategory } of errors)
      expect(sum(codes.map(({ count }) => count))).toBe(ofCategory.count);
  }
  expect(of('AUDIENCE', 'ELIGIBLE_AUDIENCE')).toBe(of('SENT') + of('ERRORS') + inFlight);
  if (isDone) expect(inFlight).toBe(0);
  expect(of('DELIVERIES')).toBe(of('SENT'));
  expect(sum(stageOf(channel, 'ERRORS').errors.map(({ total }) => total.count))).toBe(of('ERRORS'));
  const confirmed = sum(
    stageOf(channel, 'DELIVERIES').pieces.flatMap(({ kind, total }) => (kind === 'KIND_PASSED' ? [total.count] : [])),
  );
  expect(of('OPENED')).toBeLessThanOrEqual(channel.channel === 'CHANNEL_EMAIL' ? of('SENT') : confirmed);
  expect(confirmed).toBeLessThanOrEqual(of('DELIVERIES'));
}

/** R-H15, and R-H10's last stage. */
function expectMailInvariants(mail: Channel): void {
  const of = (category: string): number => countOf(mail, 'DELIVERIES', category);
  const split = (prefix: string): number =>
    sum(bounceCategories.filter((category) => category.startsWith(prefix)).map(of));
  expect(of('BOUNCED_HARD')).toBe(split('BOUNCED_HARD_'));
  expect(of('BOUNCED_SOFT')).toBe(split('BOUNCED_SOFT_') + of('BOUNCED_UNDETERMINED'));
  expect(of('BOUNCED_HARD') + of('BOUNCED_SOFT') + of('BOUNCED_UNCLASSIFIED')).toBeLessThanOrEqual(
    of('NO_CONFIRMATION'),
  );
  expect(countOf(mail, 'INTERACTIONS')).toBeLessThanOrEqual(countOf(mail, 'OPENED'));
}

describe('figures of facts that arrive twice and in any order', () => {
  it('keep the invariants of all channels, and agree with the metrics (R-H14, R-H15)', () => {
    fc.assert(
      fc.property(drawn, ({ histories, now, facts }) => {
        const stages = applyAll(facts);
        const { channels } = funnelOf(stages, RELEASED, now, []);
        const metrics = metricsOf(stages);
        const inFlightOn = (platforms: ReadonlySet<number>): number =>
          histories
            .filter((one) => platforms.has(one.platform) && isEligible(one) && !isSent(one))
            .filter(({ outcome }) => !ERRORS.includes(outcome)).length;
        for (const channel of channels) {
          const platforms = new Set(stageOf(channel, 'AUDIENCE').total.platforms.map(({ platform }) => platform));
          expectInvariants(channel, inFlightOn(platforms), false);
          const metric = (pick: (of: (typeof metrics)[number]) => number): number =>
            sum(metrics.filter(({ platform }) => platforms.has(platform)).map(pick));
          expect(metric(({ sends }) => sends)).toBe(countOf(channel, 'SENT'));
          expect(metric(({ errors }) => errors)).toBe(countOf(channel, 'ERRORS'));
          expect(metric(({ deliveries }) => deliveries)).toBe(channel.confirmedDeliveries.count);
          expect(metric(({ opens }) => opens)).toBeGreaterThanOrEqual(countOf(channel, 'OPENED'));
          if (channel.channel === 'CHANNEL_EMAIL') expectMailInvariants(channel);
        }
        expect(sum(channels.map((channel) => countOf(channel, 'AUDIENCE')))).toBe(histories.length);
      }),
      { numRuns: 150 },
    );
  });

  it('are the sums over the outcomes of all devices', () => {
    fc.assert(
      fc.property(drawn, ({ histories, now, facts }) => {
        const stages = applyAll(facts);
        const last = hoursOfSecond(Math.min(Math.floor(now.getTime() / 1000), windowEndOf(RELEASED) / 1000));
        const outcomes = histories.flatMap((_, position) =>
          stages.flatMap((chunk) => deviceOutcomeOf(chunk, position, last) ?? []),
        );
        for (const channel of funnelOf(stages, RELEASED, now, []).channels) {
          const platforms = new Set(stageOf(channel, 'AUDIENCE').total.platforms.map(({ platform }) => platform));
          const own = outcomes.filter(({ platform }) => platforms.has(platform));
          const sent = own.filter(({ sentHour }) => sentHour !== undefined);
          const bounces = sent.flatMap(({ bounce: category }) => category ?? []);
          expect({
            audience: own.length,
            confirmed: sent.filter(({ confirmed }) => confirmed?.inWindow).length,
            opened: sent.filter((one) => one.opened?.inWindow).length,
            bounces: bounceCategories.map((category) => bounces.filter((each) => each === category).length),
          }).toEqual({
            audience: countOf(channel, 'AUDIENCE'),
            confirmed: sum(
              stageOf(channel, 'DELIVERIES').pieces.map(({ kind, total }) =>
                kind === 'KIND_PASSED' ? total.count : 0,
              ),
            ),
            opened: countOf(channel, 'OPENED'),
            bounces: bounceCategories.map((category) =>
              channel.channel === 'CHANNEL_EMAIL' ? countOf(channel, 'DELIVERIES', category) : 0,
            ),
          });
        }
      }),
      { numRuns: 100 },
    );
  });

  it('are those of each recipient of e-mail, counted one by one (R-E16, R-H19)', () => {
    fc.assert(
      fc.property(drawn, ({ histories, now, facts }) => {
        const mails = histories.filter(isMail);
        fc.pre(mails.length > 0);
        const before = (hour: number, end: Date | number) => RELEASED.getTime() + hour * HOUR_MS <= Number(end);
        const hasHappened = (events: readonly number[]): boolean => events.some((hour) => before(hour, now));
        const eligible = mails.filter(isEligible);
        const bounceOfOne = (one: History): string | undefined => {
          if (isRefused(one)) return one.refused;
          const reports = one.returned.filter(({ hour }) => before(hour, now));
          const [first] = reports.sort((a, b) => a.hour - b.hour || (a.category < b.category ? -1 : 1));
          return one.outcome === 'sent' ? first?.category : undefined;
        };
        const bounces = mails.flatMap((one) => bounceOfOne(one) ?? []);
        const count = (prefix: string): number => bounces.filter((category) => category.startsWith(prefix)).length;
        const stages = applyAll(facts);
        const metrics = metricsOf(stages).find(({ platform }) => platform === Platform.Email)!;
        const opened = (one: History): boolean =>
          hasHappened([...one.mailOpened.map(({ hour }) => hour), ...one.clicked]);
        expect(metrics).toEqual({
          platform: Platform.Email,
          sends: mails.filter(isSent).length,
          deliveries: mails.filter((one) => one.outcome === 'sent' && bounceOfOne(one) === undefined).length,
          opens: eligible.filter(opened).length,
          inboxOpens: 0,
          unshowableSends: mails.filter((one) => isSent(one) && !one.displayable).length,
          errors: mails.filter(({ outcome }) => ERRORS.includes(outcome)).length,
          mail: {
            confirmedSends: mails.filter(({ outcome }) => outcome === 'sent').length,
            hardBounces: count('BOUNCED_HARD_'),
            softBounces: count('BOUNCED_SOFT_') + count('BOUNCED_UNDETERMINED'),
            rejects: mails.filter(({ outcome }) => REJECTS.includes(outcome)).length,
            unsubs: eligible.filter((one) => hasHappened(one.unsubscribed)).length,
            complaints: eligible.filter((one) => hasHappened(one.complained)).length,
          },
        });
        // R-E16.
        const { hardBounces, softBounces } = metrics.mail!;
        expect(metrics.sends).toBe(metrics.deliveries + hardBounces + softBounces + count('BOUNCED_UNCLASSIFIED'));

        const channel = funnelOf(stages, RELEASED, now, [Platform.Email]).channels[0]!;
        const end = Math.min(now.getTime(), windowEndOf(RELEASED) + 999);
        const classes = mails.filter(isSent).map((one) => {
          const by = new Set(one.mailOpened.filter(({ hour }) => before(hour, end)).map((each) => each.by));
          if (by.has(1) || one.clicked.some((hour) => before(hour, end))) return 'OPENED_BY_RECIPIENT';
          if (by.has(2)) return 'OPEN_TYPE_UNKNOWN';
          if (by.size === 0) return 'none';
          return by.has(4) ? 'MACHINE_OPENS_ONLY' : 'MACHINE_OPENS_AMPP';
        });
        const opens = (...names: string[]): number => classes.filter((each) => names.includes(each)).length;
        const isKept = now.getTime() <= RELEASED.getTime() + 30 * 24 * HOUR_MS;
        expect(countOf(channel, 'OPENED')).toBe(classes.filter((each) => each !== 'none').length);
        expect(
          stageOf(channel, 'OPENED').pieces.map(({ kind, category, total }) => [kind, category, total.count]),
        ).toEqual(
          isKept
            ? [
                ['KIND_PASSED', 'OPENED_BY_RECIPIENT', opens('OPENED_BY_RECIPIENT')],
                ['KIND_REASON', 'MACHINE_OPENS_ONLY', opens('MACHINE_OPENS_ONLY', 'MACHINE_OPENS_AMPP')],
                ['KIND_REASON', 'OPEN_TYPE_UNKNOWN', opens('OPEN_TYPE_UNKNOWN')],
              ]
            : [['KIND_SUBSET', 'MACHINE_OPENS_AMPP', opens('MACHINE_OPENS_AMPP')]],
        );
      }),
      { numRuns: 200 },
    );
  });
});
