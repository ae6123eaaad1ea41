import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { Fault } from '@tidings/kernel';

/** Below the ports that systems give to outgoing connections: such a port can be left and taken again, and nobody has it meanwhile. */
const [FIRST, LAST] = [20_000, 32_000];
const COUNT = LAST - FIRST;

/**
 * Ports are tried in their order, from a place that lies far from that of the processes started before and after: what one has found free and
 * gives to a server that is still to start, another must not find free meanwhile.
 */
let tried = (process.pid * 7_417 + randomInt(500)) % COUNT;

const nextPort = (): number => FIRST + (tried = (tried + 1) % COUNT);

/** What listening fails with where another port may do: somebody has this one, or it is kept for others. */
const taken: ReadonlySet<unknown> = new Set(['EADDRINUSE', 'EACCES']);

/**
 * Different ports of an address that nobody listens on now, to be kept for a while: servers that stop come back to them.
 * @throws what listening fails with for another reason than the port, such as too many open files; Fault `unavailable` where all are taken
 */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const servers = new Map<number, Server>();
  try {
    for (let tries = 0; servers.size < count; tries++) {
      if (tries > COUNT) throw Fault.unavailable(`No port from ${FIRST} to ${LAST} is free on ${host}`);
      const port = nextPort();
      const server = servers.has(port) ? undefined : await listenIfFree(port, host);
      if (server) servers.set(port, server);
    }
  } finally {
    await Promise.all([...servers.values()].map((server) => once(server.close(), 'close')));
  }
  return [...servers.keys()];
}

async function listen(port: number, host: string): Promise<Server> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  return server;
}

const listenIfFree = (port: number, host: string): Promise<Server | undefined> =>
  listen(port, host).catch((error: NodeJS.ErrnoException) => {
    if (!taken.has(error.code)) throw error;
    return undefined;
  });

/** Whether a port can be listened on now. @throws what listening fails with for another reason than the port */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = await listenIfFree(port, host);
  if (server) await once(server.close(), 'close');
  return server !== undefined;
}

/** One such port. */
export async function freePort(host?: string): Promise<number> {
  const [port] = await freePorts(1, host);
  return port!;
}

/** Where something is to be served, and the variable that says so. */
export interface Place {
  readonly variable: string;
  readonly port: number;
  readonly host: string;
}

/** What listening fails with where the address is not one of this machine's. */
const foreign: ReadonlySet<unknown> = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT', 'EINVAL']);

/** Says which variable is wrong, where listening failed for a port or an address; passes on every other error. */
export const wrongPlace =
  ({ variable, port, host }: Place) =>
  (error: Error & { code?: unknown }): never => {
    // Errors of gRPC have the code in their text only.
    const code = error.code ?? /\bE[A-Z_]{3,}\b/.exec(error.message)?.[0];
    const why = (text: string): Fault => new Fault('argument', text, { cause: error });
    if (code === 'EADDRINUSE') throw why(`${variable}: ${port} is in use`);
    if (code === 'EACCES') throw why(`${variable}: ${port} is not allowed to this user`);
    if (foreign.has(code)) throw why(`HOST: ${host} is no address of this machine`);
    throw error;
  };

/**
 * Tries whether something can be served there, before anything is started that would have to be stopped again.
 * @throws Fault `argument` that names the variable which is wrong
 */
export async function tryPlace(place: Place): Promise<void> {
  const server = await listen(place.port, place.host).catch(wrongPlace(place));
  await once(server.close(), 'close');
}
