import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '@tidings/client';
import { type Beside, messagesBeside } from './lib/beside-broadcast.ts';
import { sendToAll } from './lib/campaign.ts';
import { type Figure, format, type Measure, median, overRounds, percentile } from './lib/figure.ts';
import { secondsToFirstPush } from './lib/first-push.ts';
import { inWords, mediansOf, type Parts, total, usedBy } from './lib/parts.ts';
import { peakResidentMb } from './lib/processes.ts';
import { untilSteady } from './lib/rounds.ts';
import { uploadAudience, uploadPhones } from './lib/upload.ts';
import { figureOfWorlds, type Providers, type World } from './lib/world.ts';

const SIZES = (process.env['G12_DEVICES'] ?? '10000,100000,1000000').split(',').map(Number);
/** A small audience's CPU time is too short to be read from one broadcast. */
const ROUND_PUSHES = Number(process.env['G12_PUSHES'] ?? 50_000);
const MESSAGES = Number(process.env['G11B_MESSAGES'] ?? 200);
const PHONES = 10_000;
const ENTRIES = 5_000_000;
const SAMPLE_MS = 250;

interface Size {
  readonly devices: number;
  /** CPU microseconds per device, per round. */
  readonly rounds: readonly Parts[];
  readonly heapMb: number;
}

/** G11b and G12 share the upload of the largest audience. */
export async function measure(): Promise<readonly Figure[]> {
  const beside: Measure[] = [];
  const g12 = await figureOfWorlds(
    { id: 'G12', title: 'broadcasts as the audience grows', modes: ['embedded'] },
    async (world, providers) => {
      const sizes: Size[] = [];
      for (const devices of SIZES.slice(0, -1))
        sizes.push(await smallerSize(world, sizes.at(-1)?.devices ?? 0, devices));
      const largest = SIZES.at(-1)!;
      await uploadPhones(world, PHONES);
      await uploadAudience(world, sizes.at(-1)?.devices ?? 0, largest);
      // The first broadcast to a size warms up.
      const options = { devices: largest, messages: MESSAGES, phones: PHONES };
      beside.push(besideMeasure(await messagesBeside(world, providers, options), largest));
      const { firstPushSeconds, ...size } = await largestSize(world, providers, largest);
      return measuresOf(world, [...sizes, size], firstPushSeconds);
    },
    ENTRIES,
  );
  const title = 'createMessage to one device beside a broadcast until it is on the wire, p99';
  return [{ id: 'G11b', title, measures: beside }, g12];
}

const besideMeasure = ({ latencies, broadcasts, rate }: Beside, devices: number): Measure => ({
  title: 'embedded',
  value: percentile(latencies, 0.99),
  unit: 'ms',
  floor: { most: 1000 },
  goal: { most: 100 },
  spread: [Math.min(...latencies), Math.max(...latencies)],
  details: {
    median: `${format(median(latencies))} ms`,
    of: `${latencies.length} messages beside ${broadcasts} broadcasts to ${devices} devices`,
    rate: `${format(rate)} pushes/s`,
  },
});

function measuresOf(world: World, sizes: readonly Size[], firstPushSeconds: number): Measure[] {
  const [first, last] = [sizes[0]!, sizes.at(-1)!];
  const costs = ({ rounds }: Size): number[] => rounds.map(total);
  const described = Object.fromEntries(
    sizes.map((size) => [
      `${size.devices}`,
      `${inWords(mediansOf(size.rounds), 'µs')}, heap ${format(size.heapMb)} MB`,
    ]),
  );
  const resident = peakResidentMb(world.services()[0]!.pid);
  return [
    {
      title: `cost of a device, ${last.devices} vs ${first.devices}`,
      ...overRounds(costs(last).map((cost) => cost / median(costs(first)))),
      unit: 'x',
      floor: { most: 1.3 },
      goal: { most: 1.05 },
      details: described,
    },
    {
      title: `heap at ${last.devices}, all services in one process`,
      value: last.heapMb,
      unit: 'MB',
      floor: { most: 512 },
      goal: { most: 256 },
      spread: [first.heapMb, last.heapMb],
      details: { resident: `${format(resident)} MB at most, uploads included` },
    },
    {
      title: `first push to a segment of ${last.devices}, after the call`,
      ...overRounds([firstPushSeconds]),
      unit: 's',
      floor: { most: 10 },
      details: {},
    },
  ];
}

async function smallerSize(world: World, from: number, devices: number): Promise<Size> {
  await uploadAudience(world, from, devices);
  await sendToAll(world, devices);
  const broadcasts = Math.ceil(ROUND_PUSHES / devices);
  const heap = watchHeap(world.url);
  const round = (): Promise<Parts> =>
    usedBy(world.cpu, broadcasts * devices, async () => {
      for (let n = 0; n < broadcasts; n++) await sendToAll(world, devices);
    });
  const rounds = await untilSteady(round, total, { most: 5 });
  return { devices, rounds, heapMb: await heap.stop() };
}

/** One round: it takes more than a minute, and is the mean of many slices. */
async function largestSize(
  world: World,
  providers: Providers,
  devices: number,
): Promise<Size & { readonly firstPushSeconds: number }> {
  const heap = watchHeap(world.url);
  let firstPushSeconds = 0;
  const cost = await usedBy(world.cpu, devices, async () => {
    firstPushSeconds = await secondsToFirstPush(providers, () => sendToAll(world, devices));
  });
  return { devices, rounds: [cost], heapMb: await heap.stop(), firstPushSeconds };
}

function watchHeap(url: string): { stop(): Promise<number> } {
  const http = new HttpClient(url, 1);
  let [most, isWatching] = [0, true];
  const watching = (async () => {
    while (isWatching) {
      const { body } = await http.send('/metrics');
      const used = /^nodejs_heap_size_used_bytes (\S+)/m.exec(String(body))?.[1];
      if (used === undefined) throw new Error('the process tells no size of its heap');
      most = Math.max(most, Number(used) / 1024 ** 2);
      await delay(SAMPLE_MS);
    }
  })();
  return {
    async stop() {
      isWatching = false;
      await watching;
      http.close();
      return most;
    },
  };
}
