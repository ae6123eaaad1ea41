import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongod } from '@tidings/runtime';
import { type Figure, type Measure, median, spreadOf } from './lib/figure.ts';
import { type LoadResult, post, registration } from './lib/load.ts';
import { cpuMicros, startProgram } from './lib/processes.ts';
import { openWorld, startProviders } from './lib/world.ts';

const ROUNDS = 5;
const DEVICES = 10_000;
/** Rounds until both are compiled: the longer path takes longer to warm up. */
const WARM_UP = 2;
/** A few backends, and devices in the field. */
const CONNECTIONS = [64, 256];

interface Round {
  readonly process: number;
  readonly mongod: number;
  readonly load: LoadResult;
}

/**
 * G2: durable, event-sourced registerDevice of new devices through gateway and registry, against fastify with one mongoose
 * `findOneAndUpdate` a request; CPU of all processes and of MongoDB a device.
 */
export async function measure(): Promise<Figure> {
  const providers = await startProviders();
  const world = await openWorld(providers);
  await world.client.call('addTag', { tag: { name: 'Level', type: 1 } });
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const mongod = await startMongod(folder);
  const baseline = await startProgram<{ url: string }>('bench/programs/baseline-mongoose.ts', [mongod.url]);
  let [registered, salt] = [0, 0];
  const load = (url: string, token: string, connections: number): Promise<LoadResult> => {
    const first = registered;
    return post(`${url}/json/1.3/registerDevice`, {
      amount: DEVICES,
      connections,
      headers: { authorization: `Token ${token}` },
      body: (i) => registration(world.application, first + i, String(salt)),
    });
  };
  const ours = async (connections: number): Promise<Round> => {
    const before = await world.cpu();
    const result = await load(world.platform.url, world.secrets.device, connections);
    await world.settle();
    const after = await world.cpu();
    const [process, database] = [after.platform - before.platform, after.mongod - before.mongod];
    return { process: process / DEVICES, mongod: database / DEVICES, load: result };
  };
  const theirs = async (connections: number): Promise<Round> => {
    const before = [cpuMicros(baseline.pid), cpuMicros(mongod.pid)] as const;
    const result = await load(baseline.ready.url, '', connections);
    const after = [cpuMicros(baseline.pid), cpuMicros(mongod.pid)] as const;
    return { process: (after[0] - before[0]) / DEVICES, mongod: (after[1] - before[1]) / DEVICES, load: result };
  };
  const measureWith = async (connections: number): Promise<Measure> => {
    for (let i = 0; i < WARM_UP; i++) {
      await theirs(connections);
      await ours(connections);
    }
    const rounds: { readonly ours: Round; readonly theirs: Round }[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      registered += DEVICES;
      salt++;
      rounds.push({ theirs: await theirs(connections), ours: await ours(connections) });
    }
    const ratios = rounds.map((round) => sum(round.theirs) / sum(round.ours));
    const of = (who: 'ours' | 'theirs', pick: (round: Round) => number): string =>
      median(rounds.map((round) => pick(round[who]))).toFixed(1);
    const describe = (who: 'ours' | 'theirs'): string =>
      `${of(who, ({ process }) => process)} + mongod ${of(who, (round) => round.mongod)} µs, p99 ${of(who, (round) => round.load.p99Ms)} ms`;
    return {
      title: `${connections} connections`,
      value: median(ratios),
      unit: 'x',
      floor: { least: 2.5 },
      goal: { least: 5 },
      spread: spreadOf(ratios),
      details: { ours: describe('ours'), theirs: describe('theirs') },
    };
  };
  try {
    const measures: Measure[] = [];
    for (const connections of CONNECTIONS) measures.push(await measureWith(connections));
    return { id: 'G2', title: 'durable registerDevice vs fastify + mongoose', measures };
  } finally {
    await world.stop();
    await baseline.stop();
    await mongod.stop();
    await providers.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const sum = ({ process, mongod }: Round): number => process + mongod;
