import type { Socket } from 'node:net';

/** Maximum replies on a connection: those to some 200 mails. Mail servers continue on another one. */
const REPLIES_MAX = 1_000;

/** Closes connections whose clients send commands without end; smtp-server writes each reply, whether or not the earlier ones are read. */
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
