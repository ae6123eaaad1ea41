import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startMongod } from '@tidings/runtime';
import { type Figure, format, type Measure, median, spreadOf } from './lib/figure.ts';
import { bulkDevice } from './lib/load.ts';
import { inWords, mediansOf, type Parts, total, usedBetween } from './lib/parts.ts';
import { cpuOf, peakResidentMb, startProgram } from './lib/processes.ts';
import { inEachForm, startProviders, type World } from './lib/world.ts';

const ROUNDS = 5;
/** Rounds until both are compiled. */
const WARM_UP = 3;
const JOB_DEVICES = 50_000;
const DEVICES = Number(process.env['G5_DEVICES'] ?? 100_000);
const ROUND_DEVICES = Math.ceil(DEVICES / ROUNDS);
const POLL_MS = 100;
/** What the process with the registry may take. */
const MOST_MB = 512;

interface Contender {
  /** Registers devices and resolves when all are durable. */
  register(first: number, amount: number, salt: string): Promise<void>;
  cpu(): Parts;
  settle(): Promise<void>;
}

interface Round {
  /** CPU microseconds a device. */
  readonly cpu: Parts;
  readonly perSecond: number;
}

/**
 * G5: devices registered by bulkRegisterDevice, event-sourced and each with its result, against upserts by `bulkWrite`; CPU of all processes a
 * device, databases and brokers included. Each round registers new devices, the same with other tokens, and the same once more: an audience
 * that is uploaded every night hardly changes.
 */
export async function measure(): Promise<Figure> {
  const providers = await startProviders();
  try {
    return { id: 'G5', title: 'bulk registration vs bulkWrite', measures: await inEachForm(providers, measureIn) };
  } finally {
    await providers.stop();
  }
}

async function measureIn(world: World): Promise<Measure[]> {
  const baseline = await startBaseline();
  try {
    await world.client.call('addTag', { tag: { name: 'Level', type: 1 } });
    const [ours, theirs] = await race(jobsOf(world), baseline);
    const isOurs = world.form === 'embedded';
    const compared = (title: string, of: keyof Rounds, goal: number): Measure => {
      const ratios = ours[of].map(({ cpu }, i) => total(theirs[of][i]!.cpu) / total(cpu));
      return {
        ...{ title: `${world.form}, ${title}`, value: median(ratios), unit: 'x', spread: spreadOf(ratios) },
        ...(isOurs && { floor: { least: 0.5 }, goal: { least: goal } }),
        details: { ours: described(ours[of]), theirs: described(theirs[of]) },
      };
    };
    return [
      compared('nothing changes', 'same', 0.85),
      compared('tokens change', 'changed', 0.85),
      compared('all new', 'fresh', 2),
      memoryOf(world),
    ];
  } finally {
    await baseline.stop();
  }
}

function memoryOf(world: World): Measure {
  const { form } = world;
  const services = world.services();
  const { name, pid } = services.find((process) => process.name === 'registry') ?? services[0]!;
  const value = peakResidentMb(pid);
  const details = { registered: `${(WARM_UP + ROUNDS) * ROUND_DEVICES} devices three times` };
  return {
    ...{ title: `${form}, peak memory of ${name}`, value, unit: 'MB', spread: [value, value], details },
    ...(name === 'registry' && { floor: { most: MOST_MB } }),
  };
}

function jobsOf(world: World): Contender {
  const { client, application } = world;
  const job = async (first: number, amount: number, salt: string): Promise<void> => {
    const devices = Array.from({ length: amount }, (_, i) => bulkDevice(first + i, salt));
    const { request_id } = await client.call('bulkRegisterDevice', { application, devices });
    for (;;) {
      const { status, devices_success: registered } = await client.call('getBulkRegisterDevice', { request_id });
      if (status === 'Completed' && registered === amount) return;
      if (status !== 'Pending') throw new Error(`${status} with ${registered} of ${amount} devices`);
      await delay(POLL_MS);
    }
  };
  return {
    cpu: () => world.cpu(),
    settle: () => world.settle(),
    async register(first, amount, salt) {
      for (let done = 0; done < amount; done += JOB_DEVICES) {
        await job(first + done, Math.min(JOB_DEVICES, amount - done), salt);
      }
    },
  };
}

async function startBaseline(): Promise<Contender & { stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const mongod = await startMongod(folder);
  const program = await startProgram<{ url: string }>('bench/programs/baseline-bulk.ts', [mongod.url]);
  return {
    async register(first, amount, salt) {
      const body = JSON.stringify({ first, amount, salt });
      const { ok, status } = await fetch(program.ready.url, { method: 'POST', body });
      if (!ok) throw new Error(`the baseline answers ${status}`);
    },
    cpu: () =>
      cpuOf([
        { name: 'client', pid: program.pid },
        { name: 'mongod', pid: mongod.pid },
      ]),
    settle: async () => undefined,
    async stop() {
      await program.stop();
      await mongod.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Rounds {
  readonly fresh: Round[];
  readonly changed: Round[];
  readonly same: Round[];
}

/** Both in turn, with the same devices. */
async function race(...contenders: readonly [Contender, Contender]): Promise<readonly [Rounds, Rounds]> {
  const results: readonly [Rounds, Rounds] = [
    { fresh: [], changed: [], same: [] },
    { fresh: [], changed: [], same: [] },
  ];
  for (let n = -WARM_UP; n < ROUNDS; n++) {
    const first = (n + WARM_UP) * ROUND_DEVICES;
    for (const [i, contender] of contenders.entries()) {
      const fresh = await round(contender, first, `${n}`);
      const changed = await round(contender, first, `${n} again`);
      const same = await round(contender, first, `${n} again`);
      if (n < 0) continue;
      results[i]!.fresh.push(fresh);
      results[i]!.changed.push(changed);
      results[i]!.same.push(same);
    }
  }
  return results;
}

async function round(contender: Contender, first: number, salt: string): Promise<Round> {
  const before = contender.cpu();
  const started = performance.now();
  await contender.register(first, ROUND_DEVICES, salt);
  const perSecond = (ROUND_DEVICES * 1000) / (performance.now() - started);
  await contender.settle();
  return { cpu: usedBetween(before, contender.cpu(), ROUND_DEVICES), perSecond };
}

const described = (rounds: readonly Round[]): string =>
  `${inWords(mediansOf(rounds.map(({ cpu }) => cpu)), 'µs')}, ${format(median(rounds.map(({ perSecond }) => perSecond)))}/s`;
