import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, format, type Measure, overRounds } from './lib/figure.ts';
import { post, registration } from './lib/load.ts';
import { inWords, mediansOf, type Parts, total, usedBetween } from './lib/parts.ts';
import { untilSteady } from './lib/rounds.ts';
import { figureOfWorlds, type World } from './lib/world.ts';

const DEVICES = Number(process.env['ERASURE_DEVICES'] ?? 20_000);
/** Rare polling: each poll counts the devices that are left. */
const POLL_MS = 1_000;
const LATE_MS = 15_000;

interface Round {
  readonly cpu: Parts;
  readonly perSecond: number;
}

export const measure = (): Promise<Figure> =>
  figureOfWorlds(
    { id: 'erasure', title: 'deleteApplication, devices erased a second', modes: ['embedded'] },
    measureIn,
  );

async function measureIn(world: World): Promise<Measure[]> {
  await world.client.call('addTag', { tag: { name: 'Level', type: 1 } });
  let salt = 0;
  await erased(world, salt++);
  const rounds = await untilSteady(
    () => erased(world, salt++),
    ({ cpu }) => total(cpu),
    { most: 5 },
  );
  const rates = overRounds(rounds.map(({ perSecond }) => perSecond));
  const cpu = `${inWords(mediansOf(rounds.map((round) => round.cpu)), 'µs')} a device`;
  return [{ title: world.mode, ...rates, unit: '/s', details: { cpu } }];
}

async function erased(world: World, salt: number): Promise<Round> {
  const { client } = world;
  const { application } = await client.call('createApplication', { title: 'Erased' });
  await post(`${world.url}/json/1.3/registerDevice`, {
    amount: DEVICES,
    connections: 64,
    headers: { authorization: `Token ${world.secrets.device}` },
    body: (i) => registration(application, i, String(salt)),
  });
  await world.settle();
  const isOpen = async (): Promise<boolean> =>
    (await client.call('listDeletions')).deletions.some(({ service }) => service === 'registry');
  const before = world.cpu();
  await client.call('deleteApplication', { application });
  const startedAt = performance.now();
  while (await isOpen()) await delay(POLL_MS);
  const perSecond = (DEVICES / (performance.now() - startedAt)) * 1000;
  // Records that are left are removed 10 s after the deletion.
  while (performance.now() - startedAt < LATE_MS && !(await isOpen())) await delay(POLL_MS);
  while (await isOpen()) await delay(POLL_MS);
  const cpu = usedBetween(before, world.cpu(), DEVICES);
  process.stderr.write(`${format(perSecond)} devices a second, CPU of a device ${inWords(cpu, 'µs')}\n`);
  return { cpu, perSecond };
}
