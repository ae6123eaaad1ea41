import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ports that systems give to outgoing connections: such a port can be left and taken again, and nobody has it meanwhile. */
const [FIRST, LAST] = [20_000, 32_000];
const COUNT = LAST - FIRST;

/**
 * Ports are tried in their order, from a place that lies far from that of the processes started before and after: what one has found free and
 * gives to a server that is still to start, another must not find free meanwhile.
 */
let tried = (process.pid * 7_417 + randomInt(500)) % COUNT;

const nextPort = (): number => FIRST + (tried = (tried + 1) % COUNT);

/** Different ports of an address that nobody listens on now, to be kept for a while: servers that stop come back to them. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const servers = new Map<number, Server>();
  while (servers.size < count) {
    const port = nextPort();
    const server = servers.has(port) ? undefined : await listen(port, host);
    if (server) servers.set(port, server);
  }
  await Promise.all([...servers.values()].map((server) => once(server.close(), 'close')));
  return [...servers.keys()];
}

async function listen(port: number, host: string): Promise<Server | undefined> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

/** Whether a port can be listened on now. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = await listen(port, host);
  if (server) await once(server.close(), 'close');
  return server !== undefined;
}

/** One such port. */
export async function freePort(host?: string): Promise<number> {
  const [port] = await freePorts(1, host);
  return port!;
}
