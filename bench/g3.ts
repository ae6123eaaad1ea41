import { registerAudience, sendToAll } from './lib/campaign.ts';
import { type Figure, format, type Measure, median, ratio } from './lib/figure.ts';
import { inWords, mediansOf, type Parts, total, usedBetween } from './lib/parts.ts';
import { startProgram } from './lib/processes.ts';
import { figureOfWorlds, type Providers, type World } from './lib/world.ts';

const ROUNDS = 5;
const DEVICES = Number(process.env['G3_DEVICES'] ?? 40_000);

interface Round {
  /** CPU microseconds per push. */
  readonly cpu: Parts;
  /** Pushes per second. */
  readonly rate: number;
}

export const measure = (): Promise<Figure> =>
  figureOfWorlds(
    { id: 'G3', title: 'personalised broadcast, whole pipeline, vs bare node:http2 with a fixed body' },
    async (world, providers) => [await measureIn(world, providers)],
  );

async function measureIn(world: World, { apnsUrl }: Providers): Promise<Measure> {
  await registerAudience(world, DEVICES);
  await broadcast(world);
  const [theirs, ours]: [number[], Round[]] = [[], []];
  for (let i = 0; i < ROUNDS; i++) {
    theirs.push(await bareLoop(apnsUrl));
    ours.push(await broadcast(world));
  }
  return {
    title: world.mode,
    ...ratio(
      theirs,
      ours.map(({ cpu }) => total(cpu)),
    ),
    ...(world.mode === 'embedded' ? { floor: { least: 0.5 }, goal: { least: 3 } } : {}),
    details: {
      ours: inWords(mediansOf(ours.map(({ cpu }) => cpu)), 'µs'),
      bare: `${format(median(theirs))} µs`,
      rate: `${format(median(ours.map(({ rate }) => rate)))} pushes/s on the whole machine, simulators included`,
    },
  };
}

async function broadcast(world: World): Promise<Round> {
  const before = world.cpu();
  const started = performance.now();
  await sendToAll(world, DEVICES);
  const seconds = (performance.now() - started) / 1000;
  return { cpu: usedBetween(before, world.cpu(), DEVICES), rate: DEVICES / seconds };
}

async function bareLoop(apnsUrl: string): Promise<number> {
  const path = `/3/device/${'a'.repeat(64)}`;
  const headers = JSON.stringify({
    authorization: `bearer ${bareJwt()}`,
    'apns-topic': 'com.example.bench',
    'apns-push-type': 'alert',
    'apns-priority': '10',
  });
  const args = [apnsUrl, path, headers, String(DEVICES)];
  const program = await startProgram<{ micros: number }>('bench/programs/baseline-http2.ts', args);
  return program.ready.micros;
}

/** The simulators check form and age of a provider token. */
function bareJwt(): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const issued = Math.floor(Date.now() / 1000);
  return `${part({ alg: 'ES256', kid: 'ABC123DEFG' })}.${part({ iss: 'DEF123GHIJ', iat: issued })}.${'x'.repeat(86)}`;
}
