import type { Writable } from 'node:stream';

/** Characters that wait for a reader, 1 Mi; further lines are dropped. */
const MAX_WAITING = 2 ** 20;

/** Streams that have a listener for errors. */
const listened = new WeakSet<Writable>();

/**
 * Lines for standard output that never hold the process: while nobody reads them a pipe is full, and a write that waits for room would wait for ever,
 * signals and all. What does not fit is dropped and counted in a line of its own, once there is a reader again.
 */
export function unhurriedLines(stream: Writable, maxWaiting = MAX_WAITING): { write(line: string): void } {
  let dropped = 0;
  // A reader that is gone is nobody to tell.
  if (!listened.has(stream)) stream.on('error', () => undefined);
  listened.add(stream);
  return {
    write(line) {
      if (stream.writableLength > maxWaiting || stream.destroyed) {
        dropped++;
        return;
      }
      if (dropped > 0) {
        const time = new Date().toISOString();
        stream.write(
          `${JSON.stringify({ level: 'warn', time, lines: dropped, msg: 'nobody has read the log: lines dropped' })}\n`,
        );
        dropped = 0;
      }
      stream.write(line);
    },
  };
}
