import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '@tidings/client';
import { sendToAll } from './lib/campaign.ts';
import { type Figure, format, type Measure, median, overRounds } from './lib/figure.ts';
import { secondsToFirstPush } from './lib/first-push.ts';
import { inWords, mediansOf, type Parts, total, usedBy } from './lib/parts.ts';
import { peakResidentMb } from './lib/processes.ts';
import { uploadAudience } from './lib/upload.ts';
import { figureOfWorlds, type Providers, type World } from './lib/world.ts';

const SIZES = (process.env['G12_DEVICES'] ?? '10000,100000,1000000').split(',').map(Number);
/** A small audience's CPU time is too short to be read from one broadcast. */
const ROUND_PUSHES = Number(process.env['G12_PUSHES'] ?? 50_000);
const ROUNDS = 5;
const SAMPLE_MS = 250;

interface Size {
  readonly devices: number;
  /** CPU microseconds per device, per round. */
  readonly rounds: readonly Parts[];
  readonly heapMb: number;
}

export const measure = (): Promise<Figure> =>
  figureOfWorlds({ id: 'G12', title: 'broadcasts as the audience grows', modes: ['embedded'] }, measureIn);

async function measureIn(world: World, providers: Providers): Promise<Measure[]> {
  const sizes: Size[] = [];
  for (const [i, devices] of SIZES.entries()) {
    await uploadAudience(world, SIZES[i - 1] ?? 0, devices);
    await sendToAll(world, devices);
    sizes.push(await measureSize(world, devices));
  }
  const firstPushSeconds = await secondsToFirstPush(providers, () => sendToAll(world, SIZES.at(-1)!));
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

async function measureSize(world: World, devices: number): Promise<Size> {
  const rounds: Parts[] = [];
  const broadcasts = Math.ceil(ROUND_PUSHES / devices);
  const heap = watchHeap(world.url);
  // A large audience takes minutes, and is its own mean of many slices.
  for (let i = 0; i < (devices < 500_000 ? ROUNDS : 1); i++) {
    rounds.push(
      await usedBy(world.cpu, broadcasts * devices, async () => {
        for (let n = 0; n < broadcasts; n++) await sendToAll(world, devices);
      }),
    );
  }
  return { devices, rounds, heapMb: await heap.stop() };
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
