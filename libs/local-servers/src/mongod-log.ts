import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat, truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** Bytes at the end of a log that are read; also the maximum length of a line. */
const TAIL_BYTES = 64 * 1024;
const MAX_CHARACTERS = 300;
/** The size at which a log begins anew. */
const MAX_LOG_BYTES = 16 << 20;

/** Errors that MongoDB logs before it ends: severities F and E, in its text format (4.0) and its JSON format (4.4 and newer), and disk errors. */
const telling = /^\S+ [FE] |"s":"[FE]"|No space left on device|Too many open files|Out of memory|DBPathInUse/;
/** Lines after every fatal error, which do not explain it. */
const idle = /\*\*\*aborting after|Got signal: 6|BEGIN BACKTRACE/;

/** The message of a line, without its time and thread. */
function textOf(line: string): string {
  const [, message] = /"msg":"((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
  const detail = /"(?:error|message|errmsg)":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
  if (message !== undefined) return [message, detail].filter((part) => part).join(': ');
  return line.replace(/^\S+ [FE] \S+ +\[\S+\] /, '');
}

/** The first line of the last series of errors in a MongoDB log; undefined if the log does not end with errors. */
export function lastWordsIn(log: string): string | undefined {
  const lines = log.split('\n').slice(-400);
  const found = lines.filter((line) => telling.test(line) && !idle.test(line));
  const last = found.findLast((line) => /No space left|Too many open files|Out of memory/.test(line)) ?? found.at(-1);
  return last && textOf(last).trim().slice(0, MAX_CHARACTERS);
}

/**
 * Empties a log that has grown beyond `maxBytes`, and keeps its last `maxBytes` in `<file>.1`. The server has the file open and appends to it, so the
 * file itself must stay.
 * @param maxBytes @default 16 MB
 */
export async function boundLog(file: string, maxBytes = MAX_LOG_BYTES): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size <= maxBytes) return;
  const last = createReadStream(file, { start: size - maxBytes, end: size - 1 });
  // A full disk has no room for the copy, and needs the log's room all the more.
  await pipeline(last, createWriteStream(`${file}.1`)).catch(() => undefined);
  await truncate(file);
}

/** The server's last log line that explains why it ended. */
export async function lastWords(file: string, from = 0): Promise<string | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    // A log that is shorter than `from` has been emptied, and is new as a whole.
    const start = Math.max(from > size ? 0 : from, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(0, size - start)), 0, size - start, start);
    return lastWordsIn(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await handle.close();
  }
}
