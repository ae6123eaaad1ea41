import type { Writable } from 'node:stream';

const MAX_WAITING = 2 ** 20;

const withErrorListener = new WeakSet<Writable>();

/** A blocking write to a full pipe would ignore signals. */
export function nonBlockingLines(stream: Writable): { write(line: string): void } {
  let dropped = 0;
  // A closed pipe cannot be reported to.
  if (!withErrorListener.has(stream)) stream.on('error', () => undefined);
  withErrorListener.add(stream);
  return {
    write(line) {
      if (stream.writableLength > MAX_WAITING || stream.destroyed) {
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
