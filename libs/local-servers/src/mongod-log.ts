import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat, truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

const TAIL_BYTES = 64 * 1024;
const MAX_CHARACTERS = 300;
const MAX_LOG_BYTES = 16 << 20;

/** Severities F and E, in the formats of 4.0 and 4.4, and disk errors. */
const errorPattern = /^\S+ [FE] |"s":"[FE]"|No space left on device|Too many open files|Out of memory|DBPathInUse/;
const ignoredPattern = /\*\*\*aborting after|Got signal: 6|BEGIN BACKTRACE/;

function textOf(line: string): string {
  const [, message] = /"msg":"((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
  const detail = /"(?:error|message|errmsg)":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
  if (message !== undefined) return [message, detail].filter((part) => part).join(': ');
  return line.replace(/^\S+ [FE] \S+ +\[\S+\] /, '');
}

export function lastErrorIn(log: string): string | undefined {
  const lines = log.split('\n').slice(-400);
  const found = lines.filter((line) => errorPattern.test(line) && !ignoredPattern.test(line));
  const last = found.findLast((line) => /No space left|Too many open files|Out of memory/.test(line)) ?? found.at(-1);
  return last && textOf(last).trim().slice(0, MAX_CHARACTERS);
}

/** The server has the file open, so the file itself must stay. */
export async function boundLog(file: string, maxBytes = MAX_LOG_BYTES): Promise<void> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size <= maxBytes) return;
  const last = createReadStream(file, { start: size - maxBytes, end: size - 1 });
  // A full disk has no room for the copy.
  await pipeline(last, createWriteStream(`${file}.1`)).catch(() => undefined);
  await truncate(file);
}

export async function lastErrorOf(file: string, from = 0): Promise<string | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    // `boundLog` may have truncated the log since `from` was read.
    const start = Math.max(from > size ? 0 : from, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(0, size - start)), 0, size - start, start);
    return lastErrorIn(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await handle.close();
  }
}
