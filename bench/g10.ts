import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, median, spreadOf } from './lib/figure.ts';
import { residentMb } from './lib/processes.ts';
import { startPlatform } from './lib/world.ts';

const ROUNDS = 5;
/** Long enough for what start-up leaves behind to be collected. */
const IDLE_MS = 5_000;

/** G10: the embedded platform on a warm data folder: how soon it is ready, database included, and how large it is when idle, without it. */
export async function measure(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  try {
    await (await startPlatform(folder)).stop();
    const seconds: number[] = [];
    const megabytes: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const started = performance.now();
      const platform = await startPlatform(folder);
      seconds.push((performance.now() - started) / 1000);
      await delay(IDLE_MS);
      megabytes.push(residentMb(platform.pid));
      await platform.stop();
    }
    return {
      id: 'G10',
      title: 'all in one process',
      measures: [
        {
          title: 'idle memory without mongod',
          value: median(megabytes),
          unit: 'MB',
          floor: { most: 400 },
          goal: { most: 200 },
          spread: spreadOf(megabytes),
          details: {},
        },
        {
          title: 'ready after start',
          value: median(seconds),
          unit: 's',
          floor: { most: 6 },
          goal: { most: 2 },
          spread: spreadOf(seconds),
          details: {},
        },
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
