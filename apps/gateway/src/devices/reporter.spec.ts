import { checkOf, personOf } from '@tidings/audience';
import { ReportKind, Reports, topicNames } from '@tidings/events';
import { buildStatisticsHash } from '@tidings/messaging';
import type { OutRecord } from '@tidings/streaming';
import { identityKeysFrom } from '@tidings/runtime';
import { hashOf, openReporter } from './reporter.ts';

const deviceKey = identityKeysFrom(new Uint8Array(32)).device;
const message = { campaignId: 0n, messageId: 799_372_861_440_512n, code: 'C3F8-C3863ED4-334AD4F1' };
const device = { account: 'a', application: 'AAAAA-00001', hwid: 'phone-1' };
const check = checkOf(personOf(deviceKey, device.account, device.hwid));

function setUp() {
  const published: { readonly topic: string; readonly record: OutRecord }[] = [];
  const located: string[] = [];
  let going: Promise<unknown> = Promise.resolve();
  const reporter = openReporter({
    deviceKey: () => deviceKey,
    clock: { now: () => 1_700_000_000_999 },
    broker: {
      publish: async (topic, records) => {
        await going;
        published.push(...records.map((record) => ({ topic, record })));
        return records.map((_, offset) => ({ partition: 0, offset }));
      },
    },
    devices: {
      locate: async ({ hwids }) => {
        located.push(...hwids);
        return { locations: hwids.map((hwid) => ({ found: hwid === 'phone-1', seq: 9, platform: 1, hasToken: true })) };
      },
    },
  });
  const reports = () => published.map(({ record }) => Reports.decode(record.value));
  /** Holds the topic up until the function that it answers is called. */
  const stall = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    going = promise;
    return resolve;
  };
  return { reporter, published, located, reports, stall };
}

describe('a report', () => {
  it('lands where the hash says, without a look-up, when the hash was made for this device', async () => {
    const { reporter, published, located, reports } = setUp();
    const hash = hashOf(buildStatisticsHash(message, { seq: 70_000, platform: 3, check }))!;
    await reporter.report(ReportKind.REPORT_KIND_OPENED, device, hash);
    expect(located).toEqual([]);
    expect(published[0]).toMatchObject({
      topic: topicNames.reports,
      record: { key: 'C3F8-C3863ED4-334AD4F1/AAAAA-00001/1' },
    });
    expect(reports()).toEqual([
      {
        message: message.code,
        messageId: message.messageId,
        account: 'a',
        application: 'AAAAA-00001',
        chunk: 1,
        kind: ReportKind.REPORT_KIND_OPENED,
        positions: [70_000 - 65_536],
        platforms: [3],
        at: [1_700_000_000],
      },
    ]);
  });

  it.each([
    ['names another device', { seq: 70_000, platform: 3, check: check ^ 1 }],
    ['has no fifth part', undefined],
  ])('is looked up by its hwid when the hash %s', async (_what, named) => {
    const { reporter, located, reports } = setUp();
    await reporter.report(ReportKind.REPORT_KIND_DELIVERED, device, hashOf(buildStatisticsHash(message, named))!);
    expect(located).toEqual(['phone-1']);
    expect(reports()).toMatchObject([{ chunk: 0, positions: [9], platforms: [1] }]);
  });

  it('is open until it is durable', async () => {
    const { reporter } = setUp();
    const report = reporter.report(ReportKind.REPORT_KIND_OPENED, device, hashOf(buildStatisticsHash(message))!);
    expect(reporter.open()).toBe(1);
    await report;
    expect(reporter.open()).toBe(0);
  });

  it('is refused at once when as many wait as may', async () => {
    const { reporter, stall } = setUp();
    const resume = stall();
    const hash = hashOf(buildStatisticsHash(message))!;
    const report = () => reporter.report(ReportKind.REPORT_KIND_OPENED, device, hash);
    const waiting = Array.from({ length: 10_000 }, report);
    await expect(report()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(reporter.open()).toBe(10_000);
    resume();
    await Promise.all(waiting);
    await report();
    expect(reporter.open()).toBe(0);
  });

  it('of a device that nobody knows counts nothing (R-C7)', async () => {
    const { reporter, published } = setUp();
    const unknown = { ...device, hwid: 'nobody' };
    await reporter.report(ReportKind.REPORT_KIND_DELIVERED, unknown, hashOf(buildStatisticsHash(message))!);
    expect(published).toEqual([]);
  });
});

describe('a hash (R-C11, facts 5)', () => {
  it('may be missing, and says what it says', () => {
    expect(hashOf(undefined)).toBeUndefined();
    expect(hashOf('P_423M_lQlKFY_bEL-4nm3p4-4bbkUN')).toMatchObject({
      campaignId: 961_234n,
      messageId: 20_012_343_258n,
      code: 'AF0B-EEFE4D5E-E445B2E9',
      device: undefined,
    });
  });

  it.each(['', 'P', 'P_1_2', 'P_1_2_x', 'P_!_2_bEL-4nm3p4-4bbkUN'])('may not be %j', (hash) => {
    expect(() => hashOf(hash)).toThrow('hash is not valid');
  });
});
