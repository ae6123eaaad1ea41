import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '@tidings/client';
import { message, registerAudience, sendToAll } from './lib/campaign.ts';
import { commandCounter } from './lib/commands.ts';
import { type Figure, format, type Measure, median, overRounds, ratio } from './lib/figure.ts';
import { pushesIn } from './lib/first-push.ts';
import { startGorush } from './lib/gorush.ts';
import { inWords, mediansOf, type Parts, total, usedBetween } from './lib/parts.ts';
import { startPipeline } from './lib/pipeline.ts';
import { untilSteady } from './lib/rounds.ts';
import type { Conditions } from './lib/sender.ts';
import { figureOfWorlds, type Providers, type World } from './lib/world.ts';

const DEVICES = 2_000;
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

interface Contender {
  readonly title: string;
  readonly cpu: () => Parts;
  readonly commands: () => Promise<number>;
  send(conditions: Conditions): Promise<unknown>;
}

interface Use {
  readonly cpu: Parts;
  readonly commands: number;
  readonly ms: number;
}

interface Cost {
  /** CPU milliseconds of a broadcast, less those of as long a time without one. */
  readonly cpu: Parts;
  readonly commands: number;
}

export const measure = (): Promise<Figure> =>
  figureOfWorlds({ id: 'G13', title: 'CPU of a whole broadcast', modes: ['embedded'] }, measureIn);

async function measureIn(world: World, providers: Providers): Promise<Measure[]> {
  const [control, commands] = [new HttpClient(providers.controlUrl, 1), await commandCounter(world.dataFolder)];
  const [pipeline, gorush] = [await startPipeline(providers, DEVICES), await startGorush(providers, DEVICES)];
  const hasGorush = typeof gorush !== 'string';
  try {
    await registerAudience(world, DEVICES);
    await sendToAll(world, DEVICES);
    const { client, application } = world;
    const ours: Contender = {
      title: 'ours',
      cpu: () => world.cpu(),
      commands: () => commands.total(),
      send: (conditions) => client.call('createMessage', { application, notifications: [{ ...message, conditions }] }),
    };
    const others: Contender[] = [
      { ...pipeline, title: 'a pipeline of mongoose and node:http2', commands: async () => 0 },
    ];
    if (hasGorush) others.push({ ...gorush, title: 'gorush with TLS', commands: async () => 0 });
    const measures: Measure[] = [];
    for (const audience of audiences) measures.push(...(await measuresOf(audience, ours, others, control)));
    return measures;
  } finally {
    control.close();
    await commands.close();
    await pipeline.stop();
    if (hasGorush) await gorush.stop();
  }
}

async function measuresOf(
  audience: Audience,
  ours: Contender,
  others: readonly Contender[],
  control: HttpClient,
): Promise<Measure[]> {
  const contenders = [ours, ...others];
  for (let i = 0; i < WARM_UP; i++) for (const each of contenders) await broadcast(each, audience, control);
  const idle = await Promise.all(contenders.map((each) => usedIn(each, () => delay(IDLE_MS))));
  /** In the order of the contenders. */
  const round = async (): Promise<Cost[]> => {
    const costs: Cost[] = [];
    for (const [i, each] of contenders.entries()) {
      const busy = await usedIn(each, async () => {
        for (let n = 0; n < BROADCASTS; n++) await broadcast(each, audience, control);
      });
      costs.push(costOf(busy, idle[i]!));
    }
    return costs;
  };
  const rounds = await untilSteady(round, ([cost]) => total(cost!.cpu), { most: 5 });
  const cpuOf = (contender: number): Parts[] => rounds.map((costs) => costs[contender]!.cpu);
  const costs = cpuOf(0).map(total);
  return [
    {
      title: `${audience.devices} devices`,
      ...overRounds(costs),
      unit: 'ms',
      floor: { most: audience.floor },
      goal: { most: audience.goal },
      details: {
        ours: inWords(mediansOf(cpuOf(0)), 'ms'),
        commands: format(median(rounds.map(([cost]) => cost!.commands))),
      },
    },
    ...others.map(({ title }, i) => ({
      title: `${audience.devices} devices, vs ${title}`,
      ...ratio(cpuOf(i + 1).map(total), costs),
      details: { theirs: inWords(mediansOf(cpuOf(i + 1)), 'ms') },
    })),
  ];
}

function costOf(busy: Use, idle: Use): Cost {
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

async function usedIn({ cpu, commands }: Contender, work: () => Promise<unknown>): Promise<Use> {
  const [commandsBefore, before, startedAt] = [await commands(), cpu(), performance.now()];
  await work();
  const used = usedBetween(before, cpu(), 1);
  return { cpu: used, ms: performance.now() - startedAt, commands: (await commands()) - commandsBefore };
}

/** The ledger is queried: a query of the API would be in the cost. */
async function broadcast(contender: Contender, { conditions, devices }: Audience, control: HttpClient): Promise<void> {
  await control.send('/ledger/reset', { method: 'POST', body: {} });
  await contender.send(conditions);
  const giveUpAt = performance.now() + TIMEOUT_MS;
  while ((await pushesIn(control)) < devices) {
    if (performance.now() > giveUpAt) throw new Error(`${devices} devices were not reached`);
    await delay(CHECK_INTERVAL_MS);
  }
  await delay(OUTCOMES_MS);
}
