import { ApiClient, HttpClient } from '@tidings/client';
import { type Figure, format, median, type Measure, overRounds } from './lib/figure.ts';
import { inWords, type Parts, total, usedBetween } from './lib/parts.ts';
import type { Program } from './lib/processes.ts';
import { type Registrar, requestMicros, startFastify } from './lib/request-cost.ts';
import { untilSteady } from './lib/rounds.ts';
import type { DeploymentMode } from './lib/systems.ts';
import { uploadPhones } from './lib/upload.ts';
import { inEachMode, type Providers, startProviders, type World } from './lib/world.ts';

const SECONDS = Number(process.env['SINGLE_SECONDS'] ?? 10);
const AT_ONCE = Number(process.env['SINGLE_AT_ONCE'] ?? 64);
const PHONES = 2000;
const LATENCY_MS = 50;
const ENTRIES = 1_000_000;

/** Microseconds, on the machine that the floor is meant for. */
const USUAL_REQUEST_US = 16.3;

interface Round {
  readonly messages: number;
  /** Messages a second, from the first call to the last push. */
  readonly rate: number;
  /** Milliseconds from the last reply to the last push at the provider. */
  readonly lagMs: number;
  readonly cpu: Parts;
  readonly cores: number;
}

interface RoundsOfMode {
  readonly mode: DeploymentMode;
  readonly rounds: readonly Round[];
}

/** The provider takes 50 ms, but the processors limit the rate: the floor applies at their usual speed. */
export async function measure(): Promise<Figure> {
  const providers = await startProviders(ENTRIES);
  const fastify = await startFastify();
  try {
    // While no system runs: background work swings the cost of a request twofold.
    const before = await requestCosts(fastify);
    const modes = await inEachMode(providers, async (world) => [await measureIn(world, providers)]);
    const requestUs = median([...before, ...(await requestCosts(fastify))]);
    return {
      id: 'single',
      title: `messages to one device each, answered after ${LATENCY_MS} ms`,
      measures: modes.flatMap((mode) => measuresOf(mode, requestUs)),
    };
  } finally {
    await Promise.all([fastify.stop(), providers.stop()]);
  }
}

/** Microseconds, several times. */
async function requestCosts(fastify: Program<Registrar>): Promise<number[]> {
  await requestMicros(fastify);
  return untilSteady(
    () => requestMicros(fastify),
    (micros) => micros,
  );
}

async function measureIn(world: World, { controlUrl }: Providers): Promise<RoundsOfMode> {
  const control = new HttpClient(controlUrl, 4);
  const client = new ApiClient(world.url, world.secrets, AT_ONCE);
  try {
    await uploadPhones(world, PHONES);
    await control.send('/faults', { method: 'POST', body: { provider: 'fcm', latencyMs: LATENCY_MS } });
    await round({ ...world, client }, control);
    const rounds = await untilSteady(
      () => round({ ...world, client }, control),
      ({ rate }) => rate,
      { most: 5 },
    );
    return { mode: world.mode, rounds };
  } finally {
    client.close();
    control.close();
  }
}

/** Floors are those of the embedded mode: two cores hold all processes of the other one. */
function measuresOf({ mode, rounds }: RoundsOfMode, requestUs: number): Measure[] {
  const middle = rounds.toSorted((a, b) => a.rate - b.rate)[rounds.length >>> 1]!;
  const isEmbedded = mode === 'embedded';
  return [
    {
      title: `${mode}, rate at usual speed`,
      ...overRounds(rounds.map(({ rate }) => (rate * requestUs) / USUAL_REQUEST_US)),
      unit: '/s',
      ...(isEmbedded && { floor: { least: 1000 } }),
      details: { 'fastify here': `${format(requestUs)} µs`, usual: `${USUAL_REQUEST_US} µs` },
    },
    {
      title: `${mode}, rate here`,
      ...overRounds(rounds.map(({ rate }) => rate)),
      unit: '/s',
      details: { cpu: inWords(middle.cpu, 'µs'), cores: format(middle.cores), messages: String(middle.messages) },
    },
    {
      title: `${mode}, last push after the last reply`,
      ...overRounds(rounds.map(({ lagMs }) => lagMs)),
      unit: 'ms',
      ...(isEmbedded && { floor: { most: 1000 } }),
      details: {},
    },
  ];
}

async function round(world: World, control: HttpClient): Promise<Round> {
  await control.send('/ledger/reset', { method: 'POST', body: {} });
  const before = world.cpu();
  const begunAt = Date.now();
  const endAt = begunAt + SECONDS * 1000;
  let messages = 0;
  const send = async (): Promise<void> => {
    while (Date.now() < endAt) {
      const notifications = [{ content: 'Your code is 123456', devices: [`phone-${messages++ % PHONES}`] }];
      await world.client.call('createMessage', { application: world.application, notifications });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  const repliedAt = Date.now();
  await world.settle();
  const cpu = usedBetween(before, world.cpu(), messages);
  const lastAt = await lastArrival(control, messages);
  const seconds = (Math.max(lastAt, repliedAt) - begunAt) / 1000;
  return {
    messages,
    rate: messages / seconds,
    lagMs: Math.max(0, lastAt - repliedAt),
    cpu,
    cores: (total(cpu) * messages) / 1e6 / seconds,
  };
}

/** @throws unless the provider received one push for each message */
async function lastArrival(control: HttpClient, messages: number): Promise<number> {
  const { body } = await control.send(`/ledger/entries?provider=fcm&limit=2&offset=${messages - 1}`);
  const [last, further] = body as readonly { readonly at: number }[];
  if (!last || further) throw new Error('not one push for each message');
  return last.at;
}
