import type { Socket } from 'node:net';

const REPLIES_MAX = 1_000;

/** smtp-server writes replies even if nobody reads them. */
export const boundedReplies =
  (flooded: () => void) =>
  (socket: Socket): void => {
    const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
    let replies = 0;
    socket.write = (...args: unknown[]) => {
      if (++replies <= REPLIES_MAX) return write(...args);
      if (!socket.destroyed) flooded();
      socket.destroy();
      return false;
    };
  };
