import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { platformProcess, type ProcessWorld, unzipped } from '@tidings/testing';

const DEVICES = 12_500;
const hwids = Array.from({ length: DEVICES }, (_, i) => `device-${i}`);

let world: ProcessWorld;
let application: string;

const jobOf = (id: string) => world.call('getBulkSetTags', { request_id: id, detailed: false });

beforeAll(async () => {
  world = await platformProcess();
  application = await world.application({ ios: false });
  await world.call('addTag', { tag: { name: 'Level', type: 1 } });
  const devices = hwids.map((hwid) => ({ hwid, push_token: `token-of-${hwid}`, platform: 3 }));
  await world.call('bulkRegisterDevice', { application, devices });
  await world.settle(60_000);
});
afterAll(() => world?.stop());

it.each(['platform', 'everything'] as const)(
  'a bulk job continues after a kill of the %s, and does nothing twice',
  async (what) => {
    const before = Number((await world.call('getTags', { application, hwid: hwids[0] })).result['Level'] ?? 0);
    const devices = hwids.map((hwid) => ({ hwid, tags: { Level: { operation: 'increment', value: 1 } } }));
    const { request_id: id } = await world.call('bulkSetTags', { application, devices });
    while ((await jobOf(id)).progress === 0);
    await world.kill(what);
    await world.start();
    await world.settle(60_000);
    expect(await jobOf(id)).toMatchObject({ status: 'Completed', progress: 100, devices_success: DEVICES });
    const sampled = hwids.filter((_, i) => i % 25 === 0);
    const replies = await Promise.all(sampled.map((hwid) => world.call('getTags', { application, hwid })));
    expect(new Set(replies.map(({ result }) => result['Level']))).toEqual(new Set([before + 1]));
  },
);

it.each(['platform', 'everything'] as const)(
  'an export continues after a kill of the %s, and writes each device once',
  async (what) => {
    const filterExpression = `A("${application}")`;
    const { task_id: id } = await world.call('exportSegment', { filterExpression, exportData: ['hwids'] });
    const resultOf = () => world.call('getExportSegment', { task_id: id });
    while ((await resultOf()).progress === 0);
    await world.kill(what);
    await world.start();
    await world.settle(60_000);
    const { filename, ...result } = await resultOf();
    expect(result).toMatchObject({ status: 'completed', progress: 100, devices_count: DEVICES });
    const { text } = await unzipped(Buffer.from(await (await fetch(filename)).arrayBuffer()));
    const written = text.split('\r\n').slice(1, -1);
    expect(written.toSorted()).toEqual(hwids.map((hwid) => `${hwid},3,Android`).toSorted());
  },
);
