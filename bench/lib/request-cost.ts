import { post, registration } from './load.ts';
import { cpuMicros, type Program, startProgram } from './processes.ts';

const REQUESTS = 20_000;
const CONNECTIONS = 64;

export interface Registrar {
  readonly url: string;
  readonly application?: string;
  readonly token?: string;
}

/** A handler on bare fastify with one check of the body. */
export const startFastify = (): Promise<Program<Registrar>> =>
  startProgram<Registrar>('bench/programs/baseline-fastify.ts');

/** @throws if a reply is not a success */
export async function requestMicros({ pid, ready }: Program<Registrar>): Promise<number> {
  const before = cpuMicros(pid);
  await post(`${ready.url}/json/1.3/registerDevice`, {
    amount: REQUESTS,
    connections: CONNECTIONS,
    headers: { authorization: `Token ${ready.token ?? 'none'}` },
    body: (i) => registration(ready.application ?? 'AAAAA-00000', i),
  });
  return (cpuMicros(pid) - before) / REQUESTS;
}
