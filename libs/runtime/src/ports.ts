import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { Fault } from '@tidings/kernel';

/** Below the ports of outgoing connections. */
const [FIRST, LAST] = [20_000, 32_000];
const COUNT = LAST - FIRST;

/** Processes start at different ports. */
let candidate = (process.pid * 7_417 + randomInt(500)) % COUNT;

const nextPort = (): number => FIRST + (candidate = (candidate + 1) % COUNT);

const unavailableCodes: ReadonlySet<unknown> = new Set(['EADDRINUSE', 'EACCES']);

const LOOPBACK = '127.0.0.1';

export async function freePorts(count: number, host = LOOPBACK): Promise<number[]> {
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
    if (!unavailableCodes.has(error.code)) throw error;
    return undefined;
  });

export async function isFree(port: number): Promise<boolean> {
  const server = await listenIfFree(port, LOOPBACK);
  if (server) await once(server.close(), 'close');
  return server !== undefined;
}

export async function freePort(host?: string): Promise<number> {
  const [port] = await freePorts(1, host);
  return port!;
}

export interface ListenAddress {
  readonly variable: string;
  readonly port: number;
  readonly host: string;
}

const notLocalCodes: ReadonlySet<unknown> = new Set([
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAFNOSUPPORT',
  'EINVAL',
]);

export const withVariableName =
  ({ variable, port, host }: ListenAddress) =>
  (error: Error & { code?: unknown }): never => {
    const code = error.code ?? /\bE[A-Z_]{3,}\b/.exec(error.message)?.[0];
    const why = (text: string): Fault => new Fault('argument', text, { cause: error });
    if (code === 'EADDRINUSE') throw why(`${variable}: ${port} is in use`);
    if (code === 'EACCES') throw why(`${variable}: ${port} is not allowed to this user`);
    if (notLocalCodes.has(code)) throw why(`HOST: ${host} is no address of this machine`);
    throw error;
  };

export async function checkListenable(address: ListenAddress): Promise<void> {
  const server = await listen(address.port, address.host).catch(withVariableName(address));
  await once(server.close(), 'close');
}
