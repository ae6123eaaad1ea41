import { hash } from 'node:crypto';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { Fault } from '@tidings/kernel';

/** On Linux only: the kernel releases the lock however its holder ends. */
export async function withExclusiveLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock =
    process.platform === 'linux'
      ? await acquireLock(`\0tidings-${hash('sha256', await realpath(folder))}`, folder)
      : undefined;
  try {
    return await work();
  } finally {
    if (lock) await once(lock.close(), 'close');
  }
}

async function acquireLock(name: string, folder: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(String(process.pid));
  });
  server.listen(name).unref();
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const pid = await text(createConnection(name)).catch(() => 'unknown');
    throw Fault.conflict(`The data folder is in use by process ${pid}, which is starting MongoDB in ${folder}`);
  }
}
