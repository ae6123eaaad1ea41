import type { Writable } from 'node:stream';

/** Maximum characters waiting for a reader, 1 Mi; further lines are dropped. */
const MAX_WAITING = 2 ** 20;

/** Streams with a listener for errors. */
const listened = new WeakSet<Writable>();

/**
 * Lines for standard output that never block the process: without a reader a pipe fills up, and a blocking write would wait for ever and ignore
 * signals. Lines that do not fit are dropped and counted in a separate line, once there is a reader again.
 */
export function unhurriedLines(stream: Writable, maxWaiting = MAX_WAITING): { write(line: string): void } {
  let dropped = 0;
  // A closed pipe cannot be reported to.
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
