import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '@tidings/client';
import { message, registerAudience, sendToAll } from './lib/campaign.ts';
import { commandCounter } from './lib/commands.ts';
import { type Figure, format, type Measure, median, overRounds } from './lib/figure.ts';
import { pushesIn } from './lib/first-push.ts';
import { inWords, mediansOf, type Parts, total, usedBetween } from './lib/parts.ts';
import { figureOfWorlds, type World } from './lib/world.ts';

const DEVICES = 2_000;
const ROUNDS = 5;
const WARM_UP = 5;
const BROADCASTS = 5;
const IDLE_MS = 10_000;
const CHECK_INTERVAL_MS = 20;
/** Outcomes are stored after the last push. */
const OUTCOMES_MS = 500;
const TIMEOUT_MS = 60_000;

const audiences = [
  { devices: 20, conditions: [['City', 'EQ', 'city7']], floor: 200, goal: 50 },
  { devices: DEVICES, conditions: message.conditions, floor: 450, goal: 150 },
] as const;

type Audience = (typeof audiences)[number];

interface Round {
  /** CPU milliseconds of a broadcast, less those of as long a time without one. */
  readonly cpu: Parts;
  readonly commands: number;
}

export const measure = (): Promise<Figure> =>
  figureOfWorlds({ id: 'G13', title: 'CPU of a whole broadcast', modes: ['embedded'] }, async (world, providers) => {
    const [control, commands] = [new HttpClient(providers.controlUrl, 1), await commandCounter(world.dataFolder)];
    try {
      await registerAudience(world, DEVICES);
      await sendToAll(world, DEVICES);
      const measures: Measure[] = [];
      for (const audience of audiences) measures.push(await measureOf(world, audience, { control, commands }));
      return measures;
    } finally {
      control.close();
      await commands.close();
    }
  });

interface Observers {
  readonly control: HttpClient;
  readonly commands: Awaited<ReturnType<typeof commandCounter>>;
}

async function measureOf(world: World, audience: Audience, observers: Observers): Promise<Measure> {
  for (let i = 0; i < WARM_UP; i++) await broadcast(world, audience, observers);
  const rounds: Round[] = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(world, audience, observers));
  const costs = rounds.map(({ cpu }) => total(cpu));
  return {
    title: `${audience.devices} devices`,
    ...overRounds(costs),
    unit: 'ms',
    floor: { most: audience.floor },
    goal: { most: audience.goal },
    details: {
      ours: inWords(mediansOf(rounds.map(({ cpu }) => cpu)), 'ms'),
      commands: format(median(rounds.map(({ commands }) => commands))),
    },
  };
}

async function round(world: World, audience: Audience, observers: Observers): Promise<Round> {
  const idle = await usedIn(world, observers, () => delay(IDLE_MS));
  const busy = await usedIn(world, observers, async () => {
    for (let i = 0; i < BROADCASTS; i++) await broadcast(world, audience, observers);
  });
  const share = busy.ms / idle.ms;
  const cpu = Object.entries(busy.cpu).map(([name, micros]) => [
    name,
    (micros - idle.cpu[name]! * share) / BROADCASTS / 1_000,
  ]);
  return {
    cpu: Object.fromEntries(cpu) as Parts,
    commands: (busy.commands - idle.commands * share) / BROADCASTS,
  };
}

async function usedIn(world: World, { commands }: Observers, work: () => Promise<unknown>) {
  const [before, cpu, startedAt] = [await commands.total(), world.cpu(), performance.now()];
  await work();
  const used = usedBetween(cpu, world.cpu(), 1);
  return { cpu: used, ms: performance.now() - startedAt, commands: (await commands.total()) - before };
}

/** The ledger is queried: a query of the API would be in the cost. */
async function broadcast(
  { client, application }: World,
  { conditions, devices }: Audience,
  { control }: Observers,
): Promise<void> {
  await control.send('/ledger/reset', { method: 'POST', body: {} });
  await client.call('createMessage', { application, notifications: [{ ...message, conditions }] });
  const giveUpAt = performance.now() + TIMEOUT_MS;
  while ((await pushesIn(control)) < devices) {
    if (performance.now() > giveUpAt) throw new Error(`${devices} devices were not reached`);
    await delay(CHECK_INTERVAL_MS);
  }
  await delay(OUTCOMES_MS);
}
