import { setTimeout as delay } from 'node:timers/promises';
import { registerAudience, sendToAll } from './lib/campaign.ts';
import { type Figure, type Measure, overRounds } from './lib/figure.ts';
import { secondsToFirstPush } from './lib/first-push.ts';
import { inWords, mediansOf, type Parts, total, usedBy } from './lib/parts.ts';
import { residentOf } from './lib/processes.ts';
import { untilSteady } from './lib/rounds.ts';
import { inEachMode, openWorld, type Providers, startProviders, type World } from './lib/world.ts';

/** Garbage of the start is collected meanwhile. */
const AFTER_START_MS = 5_000;
const IDLE_MS = 10_000;
const DEVICES = 20_000;

const EMBEDDED = {
  memory: { floor: { most: 400 }, goal: { most: 200 } },
  start: { floor: { most: 6 }, goal: { most: 2 } },
};

interface Round {
  /** Seconds. */
  readonly start: number;
  /** Megabytes per service. */
  readonly memory: Parts;
  /** CPU milliseconds per second of each process. */
  readonly idle: Parts;
}

/** The embedded mode also starts its database; in distributed mode Kafka and MongoDB already run. */
export async function measure(): Promise<Figure> {
  const providers = await startProviders();
  try {
    const measures = [...(await inEachMode(providers, measureIn)), await coldStart(providers)];
    return { id: 'G10', title: 'processes', measures };
  } finally {
    await providers.stop();
  }
}

/** Includes tokens, an application, a device and a message. */
async function coldStart(providers: Providers): Promise<Measure> {
  let world: World | undefined;
  try {
    const seconds = await secondsToFirstPush(providers, async () => {
      world = await openWorld('embedded', providers);
      const { client, application } = world;
      const [hwid, push_token] = ['phone', 'token:APA91bExampleOfATokenThatIsAsLongAsRealOnesAre'];
      await client.call('registerDevice', { application, hwid, device_type: 3, push_token });
      const notifications = [{ content: 'Hello', devices: [hwid] }];
      await client.call('createMessage', { application, notifications });
    });
    const title = 'embedded, from a start without data to the first push';
    return { title, ...overRounds([seconds]), unit: 's', floor: { most: 60 }, details: {} };
  } finally {
    await world?.stop();
  }
}

async function measureIn(world: World): Promise<Measure[]> {
  const rounds = await untilSteady(
    () => restart(world),
    ({ start }) => start,
    { most: 4 },
  );
  await registerAudience(world, DEVICES);
  await sendToAll(world, DEVICES);
  const afterwards = residentOf(world.services());
  const [memory, idle] = [rounds.map((round) => round.memory), rounds.map((round) => round.idle)];
  const { mode } = world;
  const bounds = mode === 'embedded' ? EMBEDDED : undefined;
  return [
    { title: `${mode}, idle memory of the services`, ...sumOf('MB', memory), ...bounds?.memory },
    { title: `${mode}, the same after a broadcast to ${DEVICES}`, ...sumOf('MB', [afterwards]) },
    { title: `${mode}, CPU while nothing happens`, ...sumOf('ms/s', idle) },
    {
      title: `${mode}, ready after start`,
      ...overRounds(rounds.map(({ start }) => start)),
      unit: 's',
      details: {},
      ...bounds?.start,
    },
  ];
}

async function restart(world: World): Promise<Round> {
  await world.stopServices();
  const started = performance.now();
  await world.startServices();
  const start = (performance.now() - started) / 1000;
  await delay(AFTER_START_MS);
  const memory = residentOf(world.services());
  return { start, memory, idle: await usedBy(world.cpu, IDLE_MS, () => delay(IDLE_MS)) };
}

function sumOf(unit: string, rounds: readonly Parts[]): Omit<Measure, 'title'> {
  return { ...overRounds(rounds.map(total)), unit, details: { parts: inWords(mediansOf(rounds), unit) } };
}
