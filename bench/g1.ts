import { type Figure, median, ratio } from './lib/figure.ts';
import { startProgram } from './lib/processes.ts';
import { type Registrar, requestMicros, startFastify } from './lib/request-cost.ts';
import { untilSteady } from './lib/rounds.ts';

export async function measure(): Promise<Figure> {
  const gateway = await startProgram<Registrar>('bench/programs/gateway.ts');
  const fastify = await startFastify();
  try {
    const ours = (): Promise<number> => requestMicros(gateway);
    const theirs = (): Promise<number> => requestMicros(fastify);
    await Promise.all([ours(), theirs()]);
    const rounds = await untilSteady(
      async () => ({ fastify: await theirs(), gateway: await ours() }),
      (round) => round.fastify / round.gateway,
    );
    const fastifyCosts = rounds.map((round) => round.fastify);
    const gatewayCosts = rounds.map((round) => round.gateway);
    return {
      id: 'G1',
      title: 'gateway without storage vs raw fastify',
      measures: [
        {
          title: '',
          ...ratio(fastifyCosts, gatewayCosts),
          floor: { least: 0.6 },
          goal: { least: 0.8 },
          details: {
            gateway: `${median(gatewayCosts).toFixed(1)} µs`,
            fastify: `${median(fastifyCosts).toFixed(1)} µs`,
          },
        },
      ],
    };
  } finally {
    await Promise.all([gateway.stop(), fastify.stop()]);
  }
}
