import { type Figure, median, spreadOf } from './lib/figure.ts';
import { post, registration } from './lib/load.ts';
import { cpuMicros, startProgram } from './lib/processes.ts';

const ROUNDS = 5;
const REQUESTS = 20_000;
const CONNECTIONS = 64;

interface Ready {
  readonly url: string;
  readonly application: string;
  readonly token: string;
}

/** G1: the gateway with services that answer at once, against a handler on bare fastify; CPU of the server process per request. */
export async function measure(): Promise<Figure> {
  const gateway = await startProgram<Ready>('bench/programs/gateway.ts');
  const fastify = await startProgram<{ url: string }>('bench/programs/baseline-fastify.ts');
  try {
    const micros = async (pid: number, url: string, application: string, token: string): Promise<number> => {
      const before = cpuMicros(pid);
      await post(`${url}/json/1.3/registerDevice`, {
        amount: REQUESTS,
        connections: CONNECTIONS,
        headers: { authorization: `Token ${token}` },
        body: (i) => registration(application, i),
      });
      return (cpuMicros(pid) - before) / REQUESTS;
    };
    const { url, application, token } = gateway.ready;
    const ours = (): Promise<number> => micros(gateway.pid, url, application, token);
    const theirs = (): Promise<number> => micros(fastify.pid, fastify.ready.url, application, token);
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
