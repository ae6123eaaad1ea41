import { ApiClient, HttpClient } from '@tidings/client';
import { type Figure, format, type Measure } from './lib/figure.ts';
import { inWords, type Parts, total, usedBetween } from './lib/parts.ts';
import { uploadDevices } from './lib/upload.ts';
import { inEachMode, type Providers, startProviders, type World } from './lib/world.ts';
import type { DeploymentMode } from './lib/systems.ts';

const ROUNDS = 3;
const MESSAGES = Number(process.env['SINGLE_MESSAGES'] ?? 2000);
const LATENCY_MS = 50;
const AT_ONCE = Number(process.env['SINGLE_AT_ONCE'] ?? 64);
const ENTRIES = 1_000_000;

const tokenOf = (phone: number): string => `phone${phone}:APA91bExampleOfATokenThatIsAsLongAsRealOnesAre`;

interface Round {
  /** Messages a second, from the first call to the last push. */
  readonly rate: number;
  /** Milliseconds from the last reply to the last push at the provider. */
  readonly lagMs: number;
  readonly cpu: Parts;
  /** Processor cores in use, by our processes and the database. */
  readonly cores: number;
}

/**
 * Single-device messages to a provider that takes 50 ms for an answer, as fast as they are accepted: neither the provider's latency nor a queue
 * limits their throughput.
 */
export async function measure(): Promise<Figure> {
  const providers = await startProviders(ENTRIES);
  try {
    const measures = await inEachMode(providers, (world) => measureIn(world, providers));
    return { id: 'single', title: `messages to one device each, answered after ${LATENCY_MS} ms`, measures };
  } finally {
    await providers.stop();
  }
}

async function measureIn(world: World, { controlUrl }: Providers): Promise<Measure[]> {
  const control = new HttpClient(controlUrl, 4);
  const client = new ApiClient(world.url, world.secrets, AT_ONCE);
  try {
    const phones = Array.from({ length: MESSAGES }, (_, i) => ({
      hwid: `phone-${i}`,
      push_token: tokenOf(i),
      platform: 3,
    }));
    await uploadDevices(world, phones);
    await control.send('/faults', { method: 'POST', body: { provider: 'fcm', latencyMs: LATENCY_MS } });
    await round({ ...world, client }, control);
    const rounds: Round[] = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push(await round({ ...world, client }, control));
    return [rateOf(world.mode, rounds), lagOf(world.mode, rounds)];
  } finally {
    client.close();
    control.close();
  }
}

const middle = (rounds: readonly Round[], of: (round: Round) => number): Round =>
  rounds.toSorted((a, b) => of(a) - of(b))[rounds.length >>> 1]!;
const spreadIn = (rounds: readonly Round[], of: (round: Round) => number): [number, number] => [
  Math.min(...rounds.map(of)),
  Math.max(...rounds.map(of)),
];

/** Floors are those of the embedded mode: two cores hold all processes of the other one. */
function rateOf(mode: DeploymentMode, rounds: readonly Round[]): Measure {
  const { rate, cpu, cores } = middle(rounds, (round) => round.rate);
  return {
    ...{
      title: `${mode}, rate`,
      value: rate,
      unit: '/s',
      ...(mode === 'embedded' && { floor: { least: 1000 } }),
      spread: spreadIn(rounds, (round) => round.rate),
    },
    details: { cpu: inWords(cpu, 'µs'), cores: format(cores), messages: String(MESSAGES) },
  };
}

function lagOf(mode: DeploymentMode, rounds: readonly Round[]): Measure {
  const { lagMs } = middle(rounds, (round) => round.lagMs);
  return {
    ...{ title: `${mode}, last push after the last reply`, value: lagMs, unit: 'ms' },
    ...(mode === 'embedded' && { floor: { most: 1000 } }),
    ...{ spread: spreadIn(rounds, (round) => round.lagMs), details: {} },
  };
}

async function round(world: World, control: HttpClient): Promise<Round> {
  await control.send('/ledger/reset', { method: 'POST', body: {} });
  const before = world.cpu();
  const begunAt = Date.now();
  let next = 0;
  const send = async (): Promise<void> => {
    for (let phone = next++; phone < MESSAGES; phone = next++) {
      const notifications = [{ content: 'Your code is 123456', devices: [`phone-${phone}`] }];
      await world.client.call('createMessage', { application: world.application, notifications });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  const repliedAt = Date.now();
  await world.settle();
  const cpu = usedBetween(before, world.cpu(), MESSAGES);
  const lastAt = await lastArrival(control);
  const seconds = (Math.max(lastAt, repliedAt) - begunAt) / 1000;
  return {
    rate: MESSAGES / seconds,
    lagMs: Math.max(0, lastAt - repliedAt),
    cpu,
    cores: (total(cpu) * MESSAGES) / 1e6 / seconds,
  };
}

/** When the provider received the last push. @throws unless it received one for each message */
async function lastArrival(control: HttpClient): Promise<number> {
  const { body } = await control.send(`/ledger/entries?provider=fcm&limit=2&offset=${MESSAGES - 1}`);
  const [last, further] = body as readonly { readonly at: number }[];
  if (!last || further) throw new Error('not one push for each message');
  return last.at;
}
