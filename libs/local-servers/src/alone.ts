import { hash } from 'node:crypto';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { Fault } from '@tidings/kernel';

/**
 * Runs `work` on a folder unless another process of this machine does so, which is refused at once. The lock is a name that the kernel releases when
 * its holder ends in any way; only Linux has such names, other systems lock nothing.
 * @throws Fault `conflict` with the pid of the other process
 */
export async function alone<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock =
    process.platform === 'linux'
      ? await hold(`\0tidings-${hash('sha256', await realpath(folder))}`, folder)
      : undefined;
  try {
    return await work();
  } finally {
    if (lock) await once(lock.close(), 'close');
  }
}

async function hold(name: string, folder: string): Promise<Server> {
  // Tells other processes the pid of the holder.
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
