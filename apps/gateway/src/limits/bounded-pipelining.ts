import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum requests of a connection that are served at once: their replies wait for each other. */
const PIPELINED_MAX = 100;

/** Closes connections that pipeline more requests than a client that reads replies would. */
export function boundedPipelining(listener: RequestListener, flooded: () => void): RequestListener {
  const counts = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const count = (counts.get(socket) ?? 0) + 1;
    if (count > PIPELINED_MAX) {
      if (!socket.destroyed) flooded();
      socket.destroy();
      return;
    }
    counts.set(socket, count);
    response.on('close', () => counts.set(socket, counts.get(socket)! - 1));
    listener(request, response);
  };
}
