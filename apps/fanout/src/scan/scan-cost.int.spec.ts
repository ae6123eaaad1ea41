import { beforeAll, expect, it } from '@jest/globals';
import { planChunk } from '@tidings/delivery';
import { Operator, TagType } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { createCollections } from '@tidings/mongo';
import { Columns, type DeviceDocument, DEVICES, DeviceScan, devicesModel } from '@tidings/registry-store';
import { tagExpression as tag, taggedDevice as device } from '@tidings/registry-store/testing';
import { sampleNow } from '@tidings/segments/arbitraries';
import { describeWithMongo } from '@tidings/testing';
import { type BatchHead, BatchWriter } from '../emit/batch-writer.ts';

const SIZE = Number(process.env['SCAN_DEVICES'] ?? 200_000);
const APP = 'AAAAA-BBBBB';

describeWithMongo('scan, plan and emission', (mongo) => {
  beforeAll(async () => {
    await createCollections(mongo.db, [devicesModel]);
    const devices = mongo.db.collection<DeviceDocument>(DEVICES);
    for (let from = 0; from < SIZE; from += 5000) {
      const documents = Array.from({ length: Math.min(5000, SIZE - from) }, (_, i) => device(APP, from + i));
      await devices.insertMany(documents, { ordered: false });
    }
  }, 180_000);

  it('measures scan, plan and emission', async () => {
    const scan = new DeviceScan(mongo.db);
    const columns = new Columns();
    const writer = new BatchWriter();
    const head: BatchHead = {
      message: 'M',
      messageId: 1n,
      sendRate: 0,
      applicationTitle: '',
      entry: undefined,
      campaignId: 0n,
      account: 'a',
      content: undefined,
      credential: undefined,
      releasedAt: new Date(),
      atMostOnce: false,
      marketing: false,
      outcomesAgain: false,
    };
    const application = {
      platforms: [1, 3].map((platform) => ({ platform, enabled: true, configured: true, credentialVersion: 1 })),
    };
    const name = { number: 71, name: 'Name', type: TagType.TAG_TYPE_STRING, applicationSpecific: false };
    for (const [what, expression, values] of [
      ['everyone', undefined, []],
      ['everyone, one tag in the content', undefined, [name]],
      ['predicate in memory', tag(70, TagType.TAG_TYPE_INTEGER, Operator.OPERATOR_NOTEQ, 7), []],
      ['one in a hundred by index', tag(70, TagType.TAG_TYPE_INTEGER, Operator.OPERATOR_EQ, 7), []],
    ] as const) {
      for (let round = 0; round < 3; round++) {
        const spent = { scan: 0, plan: 0, emit: 0 };
        let found = 0;
        let bytes = 0;
        const selected = { expression, now: sampleNow };
        const lookup = await scan.chooseLookup(APP, selected);
        const startedAt = performance.now();
        for (let chunk = 0; chunk * 65_536 < SIZE; chunk++) {
          let before = process.cpuUsage();
          const lap = (step: keyof typeof spent): void => {
            const used = process.cpuUsage(before);
            spent[step] += used.user + used.system;
            before = process.cpuUsage();
          };
          await scan.selected(columns, { application: APP, chunk }, selected, lookup, { values });
          lap('scan');
          const plan = planChunk(columns, {
            chunk,
            named: false,
            transactional: false,
            platforms: [],
            content: undefined,
            application,
            at: new Date(),
          });
          lap('plan');
          for (const { platform, variant, set } of plan.sendable) {
            const recipients = Bitmap.decode(set);
            found += recipients.size;
            const slices = Array.from({ length: Math.ceil(recipients.size / 500) }, (_, number) => number);
            const key = { message: 'M', bucket: 0, application: APP, chunk, platform, variant };
            for (const batch of writer.write(columns, { key, head, recipients, slices })) {
              bytes += batch.record.value.length;
            }
          }
          lap('emit');
        }
        const per = (us: number): string => (us / found).toFixed(2);
        if (round < 2) continue;
        process.stderr.write(
          `${what}: ${found} devices, lookup [${lookup.join()}], µs/device scan ${per(spent.scan)} plan ${per(spent.plan)} emit ${per(spent.emit)} ` +
            `sum ${per(spent.scan + spent.plan + spent.emit)}, ${(bytes / found).toFixed(0)} bytes each, ${(performance.now() - startedAt).toFixed(0)} ms\n`,
        );
        expect(found).toBe(what.includes('index') ? SIZE / 100 : what.includes('memory') ? SIZE * 0.99 : SIZE);
      }
    }
  }, 180_000);
});
