import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SLICE_SIZE } from '@tidings/delivery';
import {
  cluster,
  type ClusterWorld,
  connectToStore,
  deadLetters,
  funnelFigures,
  listedMessage,
  Population,
  populationPlatforms,
  untilDone,
  Wire,
} from '@tidings/testing';
import { startNode } from '@tidings/testing/processes';
import { backUp, pushesIn } from './cluster/testing/backups.ts';

const APPLICATIONS = 3;
const STEADY = process.env['FULL'] === '1' ? 4_000 : 700;
const DEAD = 5;
/** Slow enough that slices are open at the moment of the backup. */
const LATENCY_MS = 150;
const SOON_SECONDS = 3_600;
const NAMED = 20;

jest.setTimeout(600_000);

async function reached(world: ClusterWorld, pushes: number): Promise<void> {
  while (pushesIn(world) < pushes) await delay(2);
}

/** All devices of slices that were claimed more than once. */
async function mayBeRepeated(mongoUrl: string): Promise<number> {
  const client = await connectToStore(mongoUrl);
  try {
    const attempts = client.db('tidings_dispatcher').collection('attempts');
    return SLICE_SIZE * (await attempts.countDocuments({ round: { $gt: 1 } }));
  } finally {
    await client.close();
  }
}

describe('a system restored from a backup of MongoDB amid broadcasts', () => {
  let folder: string;
  let source: ClusterWorld;
  let target: ClusterWorld;
  let population: Population;
  let rounds: (readonly [round: number, codes: readonly string[]])[];
  let scheduled: string;
  let pushedSince: number;
  let application: string;

  const send = async (world: ClusterWorld, fields: object): Promise<string> =>
    (await world.call('createMessage', { application, notifications: [{ content: 'Hello', ...fields }] })).Messages[0]!;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-backup-'));
    source = await cluster({ replicas: 1, ownStores: true });
    population = await Population.gather(source, { applications: APPLICATIONS, steady: STEADY, dead: DEAD });
    application = population.applications[0]!;
    const sendDate = new Date(Date.now() + SOON_SECONDS * 1000).toISOString().slice(0, 16).replace('T', ' ');
    scheduled = await send(source, { send_date: sendDate, conditions: [['Round', 'IN', [0]]] });
    const numbers = [await population.begin(), await population.begin(), await population.begin()];
    await source.simulators.faults.set('all', { latencyMs: LATENCY_MS });

    // One broadcast has just been sent, one is being sent, and one has just been accepted.
    const [sent, open, accepted] = numbers as [number, number, number];
    rounds = [[sent, await population.send(sent)]];
    await reached(source, population.all);
    rounds.push([open, await population.send(open)]);
    await reached(source, 1.4 * population.all);
    rounds.push([accepted, await population.send(accepted)]);
    const backup = join(folder, 'mongo');
    pushedSince = await backUp(source, backup);
    const masterKey = Buffer.from(await readFile(join(source.dataFolder, 'master-key'), 'utf8'), 'base64');
    target = await cluster({ replicas: 1, backup, masterKey, providers: source.simulators });
    await target.settle(240_000);
  });
  afterAll(async () => {
    await target?.stop();
    await source?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('has one outcome for every device of each broadcast, in figures and at the providers', async () => {
    for (const [, codes] of rounds) {
      for (const [a, code] of codes.entries()) {
        await untilDone(target, population.applications[a]!, code, { stepSeconds: 10 });
      }
    }
    const wire = new Wire(source.simulators);
    const moved = population.movedTo(target);
    const broken = await Promise.all(rounds.map(([round, codes]) => moved.brokenIn(round, codes, wire)));
    expect([...broken.flat(), ...(await deadLetters(target.cluster))]).toEqual([]);
  });

  it('has repeated only pushes of slices that were under way, and those after the backup, each with the same mask', async () => {
    const ledgers = populationPlatforms.map(({ provider }) => source.simulators.ledger.of(provider).summary());
    const repeated = ledgers.reduce((sum, { duplicates }) => sum + duplicates, 0);
    const allowed = pushedSince + (await mayBeRepeated(target.cluster.mongoUrl));
    process.stderr.write(`restored: ${pushesIn(source)} pushes, ${repeated} again of ${allowed} allowed\n`);
    expect(repeated).toBeLessThanOrEqual(allowed);
    expect(ledgers.map(({ duplicates, masked }) => duplicates - masked)).toEqual([0, 0]);
  });

  it('sends a message that was waiting for its time once, and new ones', async () => {
    const wire = new Wire(source.simulators);
    source.simulators.clock.advance(2 * SOON_SECONDS * 1000);
    await target.call('advanceClock', { advance_seconds: 2 * SOON_SECONDS });
    const fresh = await send(target, { devices: population.named(NAMED) });
    await target.settle();
    for (const [code, devices] of [
      [scheduled, 2 * STEADY],
      [fresh, NAMED],
    ] as const) {
      const pushes = wire.of(code);
      expect([pushes.length, new Set(pushes.map(({ token }) => token)).size]).toEqual([devices, devices]);
      expect(await listedMessage(target, application, code)).toMatchObject({ status: 'DONE' });
      const figures = funnelFigures(await target.call('getDeliveryFunnel', { message_code: code }));
      expect(figures).toMatchObject({ eligible: devices, sent: devices });
    }
  });

  it('cannot be prepared a second time, since its topics contain records', async () => {
    const { mongoUrl: MONGO_URL, kafkaBrokers: KAFKA_BROKERS } = target.cluster;
    const again = await startNode({
      entry: fileURLToPath(new URL('../../dist/restored.js', import.meta.url)),
      env: { MONGO_URL, KAFKA_BROKERS },
      logFile: join(folder, 'restored.log'),
    });
    expect(await again.ended()).toBe(1);
    expect(again.errors()).toMatch(/Topics hold records: .*tidings\.messages.*delete the topics first/);
  });
});
