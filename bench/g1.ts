import { type Figure, median, spreadOf } from './lib/figure.ts';
import { startProgram } from './lib/processes.ts';
import { type Registrar, requestMicros, startFastify } from './lib/request-cost.ts';

const ROUNDS = 5;

export async function measure(): Promise<Figure> {
  const gateway = await startProgram<Registrar>('bench/programs/gateway.ts');
  const fastify = await startFastify();
  try {
    const ours = (): Promise<number> => requestMicros(gateway);
    const theirs = (): Promise<number> => requestMicros(fastify);
    await Promise.all([ours(), theirs()]);
    const rounds: { readonly ours: number; readonly theirs: number }[] = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push({ theirs: await theirs(), ours: await ours() });
    const ratios = rounds.map((round) => round.theirs / round.ours);
    return {
      id: 'G1',
      title: 'gateway without storage vs raw fastify',
      measures: [
        {
          title: '',
          value: median(ratios),
          unit: 'x',
          floor: { least: 0.6 },
          goal: { least: 0.8 },
          spread: spreadOf(ratios),
          details: {
            gateway: `${median(rounds.map((round) => round.ours)).toFixed(1)} µs`,
            fastify: `${median(rounds.map((round) => round.theirs)).toFixed(1)} µs`,
          },
        },
      ],
    };
  } finally {
    await Promise.all([gateway.stop(), fastify.stop()]);
  }
}
