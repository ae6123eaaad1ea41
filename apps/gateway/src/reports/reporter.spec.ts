import { hwidCheckOf, hwidHashOf } from '@tidings/audience';
import { ReportKind, Reports, topicNames } from '@tidings/events';
import { createdAtOf, toBase62 } from '@tidings/kernel';
import { buildStatisticsHash, macOf, messageKeyOf } from '@tidings/messaging';
import { type Messages, MessageView } from '@tidings/rpc';
import type { OutRecord } from '@tidings/streaming';
import { identityKeysFrom } from '@tidings/runtime';
import { hashOf, openReporter } from './reporter.ts';

const identity = identityKeysFrom(new Uint8Array(32));
const { device: deviceKey, report: reportKey } = identity;
const message = { campaignId: 0n, messageId: 799_372_861_440_512n, code: 'C3F8-C3863ED4-334AD4F1' };
const device = { account: 'a', application: 'AAAAA-00001', hwid: 'phone-1' };
const NOW = createdAtOf(message.messageId) + 8 * 3_600_000;
const DAY = 86_400_000;

function hashFor(of: typeof device = device, seq = 70_000, platform = 3) {
  const key = messageKeyOf(reportKey, of.application, message);
  const mac = macOf(key, seq, platform, hwidCheckOf(hwidHashOf(deviceKey, of.account, of.hwid)));
  return buildStatisticsHash(message, { seq, platform, mac });
}

function setUp(onLocate: (application: string, hwids: readonly string[]) => void = () => undefined) {
  const published: { readonly topic: string; readonly record: OutRecord }[] = [];
  const located: string[] = [];
  let going: Promise<unknown> = Promise.resolve();
  const lookups: string[] = [];
  const time = { now: NOW };
  const find: Messages['find'] = async ({ account, code }) => {
    lookups.push(code);
    if (account !== 'a' || code !== message.code) return { message: undefined };
    return {
      message: MessageView.fromPartial({
        account,
        code,
        id: message.messageId,
        message: { applications: [device.application] },
      }),
    };
  };
  const reporter = openReporter({
    identity: () => identity,
    clock: { now: () => time.now },
    messages: { find },
    broker: {
      publish: async (topic, records) => {
        await going;
        published.push(...records.map((record) => ({ topic, record })));
        return records.map((_, offset) => ({ partition: 0, offset }));
      },
    },
    devices: {
      locate: async ({ application, hwids }) => {
        onLocate(application, hwids);
        located.push(...hwids);
        return {
          locations: hwids.map((hwid) => ({ found: hwid !== 'nobody', seq: 70_000, platform: 1, hasToken: true })),
        };
      },
    },
  });
  const reports = () => published.map(({ record }) => Reports.decode(record.value));
  const stall = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    going = promise;
    return resolve;
  };
  return { reporter, published, located, lookups, time, reports, stall };
}

describe('a report', () => {
  it('is attributed by the hash if the hash was made for this device', async () => {
    const { reporter, published, lookups, reports } = setUp();
    expect(await reporter.report(ReportKind.REPORT_KIND_OPENED, device, hashOf(hashFor())!)).toBe(true);
    expect(lookups).toEqual([]);
    expect(published[0]).toMatchObject({
      topic: topicNames.reports,
      record: { key: 'C3F8-C3863ED4-334AD4F1/AAAAA-00001/1' },
    });
    expect(reports()).toMatchObject([
      {
        message: message.code,
        messageId: message.messageId,
        account: 'a',
        application: 'AAAAA-00001',
        chunk: 1,
        kind: ReportKind.REPORT_KIND_OPENED,
        positions: [70_000 - 65_536],
        platforms: [3],
        at: [Math.floor(NOW / 1000)],
      },
    ]);
  });

  const parts = hashFor().split('_');
  const withPart = (index: number, value: string): string => parts.with(index, value).join('_');
  const other = hashFor({ ...device, hwid: 'phone-2' }, 70_001, 1).split('_');
  it.each([
    ['another hwid', hashFor({ ...device, hwid: 'phone-2' })],
    ['another number', buildStatisticsHash(message, { ...hashOf(hashFor())!.device!, seq: 70_001 })],
    ['another device part', withPart(4, other[4]!)],
    ['another platform', buildStatisticsHash(message, { ...hashOf(hashFor())!.device!, platform: 1 })],
    ['another message', withPart(3, 'bEL-4nm3p4-4bbkUN')],
    ['another message id', withPart(2, 'lQlKFY')],
    ['another campaign', withPart(1, '1')],
    ['another application', hashFor({ ...device, application: 'AAAAA-00002' })],
    ['another account', hashFor({ ...device, account: 'b' })],
    ['a number that the device has not got any more', hashFor(device, 69_999)],
  ])('has no effect with the hash of %s', async (_, hash) => {
    const { reporter, published, lookups } = setUp();
    expect(await reporter.report(ReportKind.REPORT_KIND_OPENED, device, hashOf(hash)!)).toBe(false);
    expect([published, lookups]).toEqual([[], []]);
  });

  const bare = parts.slice(0, 4).join('_');
  it.each([
    ['none', bare],
    ['one of an earlier version', `${bare}_${toBase62((4_711n << 32n) | (3n << 24n) | 0x0a0b0cn)}`],
    ['one of an earlier version, of the greatest number', `${bare}_${toBase62((1n << 64n) - 1n)}`],
    ['one that is not ours', `${bare}_x-y`],
  ])('is resolved by lookups of the device and its message if the fifth part is %s', async (_, hash) => {
    const { reporter, located, lookups, reports } = setUp();
    expect(await reporter.report(ReportKind.REPORT_KIND_DELIVERED, device, hashOf(hash)!)).toBe(true);
    expect([located, lookups]).toEqual([['phone-1'], [message.code]]);
    expect(reports()).toMatchObject([{ chunk: 1, positions: [70_000 - 65_536], platforms: [1] }]);
  });

  it.each([
    ['a message that does not exist', { ...message, code: 'C3F8-C3863ED4-334AD4F2' }, device],
    ['the id of another message', { ...message, messageId: 7n }, device],
    ['a message of another application', message, { ...device, application: 'AAAAA-00002' }],
    ['a message of another account', message, { ...device, account: 'b' }],
  ])('has no effect if it names %s', async (_, named, from) => {
    const { reporter, published } = setUp();
    const hash = hashOf(buildStatisticsHash(named))!;
    expect(await reporter.report(ReportKind.REPORT_KIND_OPENED, from, hash)).toBe(false);
    expect(published).toEqual([]);
  });

  it('is checked by a lookup of a message that may be deleted, even if its hash is genuine', async () => {
    const { reporter, lookups, time } = setUp();
    const report = () => reporter.report(ReportKind.REPORT_KIND_OPENED, device, hashOf(hashFor())!);
    time.now = createdAtOf(message.messageId) + 7 * DAY - 1;
    await report();
    expect(lookups).toEqual([]);
    time.now++;
    expect(await report()).toBe(true);
    expect(lookups).toEqual([message.code]);
  });

  it('shares its lookup with others of the application', async () => {
    const calls: [string, readonly string[]][] = [];
    const { located, reporter } = setUp((application, hwids) => calls.push([application, hwids]));
    const hash = hashOf(bare)!;
    const hwids = Array.from({ length: 20 }, (_, i) => `phone-${i}`);
    const taken = await Promise.all(
      hwids.map((hwid) => reporter.report(ReportKind.REPORT_KIND_OPENED, { ...device, hwid }, hash)),
    );
    expect(taken).toEqual(hwids.map(() => true));
    expect(located.toSorted()).toEqual(hwids.toSorted());
    expect(calls.length).toBeLessThan(5);
  });

  it('is open until it is durable', async () => {
    const { reporter } = setUp();
    const report = reporter.report(ReportKind.REPORT_KIND_OPENED, device, hashOf(buildStatisticsHash(message))!);
    expect(reporter.open()).toBe(1);
    await report;
    expect(reporter.open()).toBe(0);
  });

  it('is refused at once when the limit of waiting reports is reached', async () => {
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

  it('is not counted for an unknown device (R-C7)', async () => {
    const { reporter, published } = setUp();
    const unknown = { ...device, hwid: 'nobody' };
    for (const hash of [buildStatisticsHash(message), hashFor(unknown)]) {
      expect(await reporter.report(ReportKind.REPORT_KIND_DELIVERED, unknown, hashOf(hash)!)).toBe(false);
    }
    expect(published).toEqual([]);
  });
});

describe('a hash (R-C11)', () => {
  it('may be missing, and is parsed into its parts', () => {
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
