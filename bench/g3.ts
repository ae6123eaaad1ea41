import { registerAudience, sendToAll } from './lib/campaign.ts';
import { type Figure, format, type Measure, median, ratio } from './lib/figure.ts';
import { inWords, mediansOf, type Parts, total, usedBetween, usedBy } from './lib/parts.ts';
import { startGorush } from './lib/gorush.ts';
import { startPipeline } from './lib/pipeline.ts';
import { startProgram } from './lib/processes.ts';
import { untilSteady } from './lib/rounds.ts';
import { figureOfWorlds, type Providers, type World } from './lib/world.ts';

const DEVICES = Number(process.env['G3_DEVICES'] ?? 40_000);

/** CPU microseconds per push. */
interface Round {
  readonly bare: number;
  readonly pipeline: Parts;
  readonly gorush: Parts | undefined;
  readonly ours: Parts;
  /** Our pushes per second. */
  readonly rate: number;
}

export const measure = (): Promise<Figure> =>
  figureOfWorlds({ id: 'G3', title: 'personalised broadcast, whole pipeline' }, measureIn);

async function measureIn(world: World, providers: Providers): Promise<Measure[]> {
  const [pipeline, gorush] = [await startPipeline(providers, DEVICES), await startGorush(providers, DEVICES)];
  const hasGorush = typeof gorush !== 'string';
  try {
    await registerAudience(world, DEVICES);
    await broadcast(world);
    await pipeline.sendToAll();
    if (hasGorush) await gorush.sendToAll();
    const rounds = await untilSteady(
      async (): Promise<Round> => ({
        bare: await bareLoop(providers.apnsUrl),
        pipeline: await usedBy(pipeline.cpu, DEVICES, () => pipeline.sendToAll()),
        gorush: hasGorush ? await usedBy(gorush.cpu, DEVICES, () => gorush.sendToAll()) : undefined,
        ...(await broadcast(world)),
      }),
      ({ bare, ours }) => bare / total(ours),
      { most: 5 },
    );
    return measuresOf(world, rounds, hasGorush ? '' : gorush);
  } finally {
    await pipeline.stop();
    if (hasGorush) await gorush.stop();
  }
}

function measuresOf({ mode }: World, rounds: readonly Round[], withoutGorush: string): Measure[] {
  const bare = rounds.map((round) => round.bare);
  const pipeline = rounds.map((round) => total(round.pipeline));
  const ours = rounds.map((round) => total(round.ours));
  const gorush = rounds.map((round) => round.gorush).filter((cost) => cost !== undefined);
  const details = { pipeline: inWords(mediansOf(rounds.map((round) => round.pipeline)), 'µs') };
  return [
    {
      title: `${mode}, vs bare node:http2 with a fixed body`,
      ...ratio(bare, ours),
      ...(mode === 'embedded' ? { floor: { least: 0.5 }, goal: { least: 3 } } : {}),
      details: {
        ours: inWords(mediansOf(rounds.map((round) => round.ours)), 'µs'),
        bare: `${format(median(bare))} µs`,
        rate: `${format(median(rounds.map(({ rate }) => rate)))} pushes/s on the whole machine, simulators included`,
        ...(gorush.length === 0 && { gorush: withoutGorush }),
      },
    },
    { title: `${mode}, vs a pipeline of mongoose and node:http2`, ...ratio(pipeline, ours), details },
    { title: 'cost of that pipeline vs bare node:http2', ...ratio(pipeline, bare), floor: { most: 1.9 }, details },
    ...(gorush.length === 0
      ? []
      : [
          {
            title: `${mode}, vs gorush with TLS`,
            ...ratio(gorush.map(total), ours),
            details: { gorush: inWords(mediansOf(gorush), 'µs') },
          },
        ]),
  ];
}

async function broadcast(world: World): Promise<Pick<Round, 'ours' | 'rate'>> {
  const before = world.cpu();
  const started = performance.now();
  await sendToAll(world, DEVICES);
  const seconds = (performance.now() - started) / 1000;
  return { ours: usedBetween(before, world.cpu(), DEVICES), rate: DEVICES / seconds };
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
