import type { Socket } from 'node:net';

/** Replies to some 200 mails; mail servers continue on another connection. */
const REPLIES_MAX = 1_000;

/** smtp-server writes each reply, whether or not the earlier ones are read. */
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
