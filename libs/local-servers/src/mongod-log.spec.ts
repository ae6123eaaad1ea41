import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { boundLog, lastErrorOf, lastErrorIn } from './mongod-log.ts';

const at = '2026-01-15T12:00:00.000+0000';

describe('the last error of MongoDB', () => {
  it.each([
    ['nothing', ''],
    [
      'a log without errors',
      `${at} I NETWORK  [listener] waiting for connections\n${at} I CONTROL  [main] now exiting\n`,
    ],
  ])('is empty in %s', (_, log) => {
    expect(lastErrorIn(log)).toBeUndefined();
  });

  it.each([
    [
      'the disk is full',
      `${at} E STORAGE  [thread1] WiredTiger error (28) journal write: No space left on device\n${at} F -        [thread1] Fatal Assertion 50853\n${at} F -        [thread1] \n\n***aborting after fassert() failure\n`,
      'WiredTiger error (28) journal write: No space left on device',
    ],
    [
      'an assertion fails',
      `${at} I x [y] fine\n${at} F -        [initandlisten] Fatal Assertion 28717\n`,
      'Fatal Assertion 28717',
    ],
    [
      'the format is JSON',
      '{"t":{},"s":"I","msg":"fine"}\n{"t":{},"s":"E","c":"STORAGE","msg":"WiredTiger error","attr":{"error":28,"message":"No space left on device"}}\n',
      'WiredTiger error: No space left on device',
    ],
  ])('is found if %s', (_, log, words) => {
    expect(lastErrorIn(log)).toBe(words);
  });
});

describe('the log of MongoDB', () => {
  it('is truncated when it is too large, while the server appends to it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-log-'));
    const file = join(folder, 'mongod.log');
    const server = await open(file, 'a');
    try {
      await server.write('a'.repeat(60));
      await boundLog(file, 100);
      await server.write('b'.repeat(90));
      expect(await readFile(file, 'utf8')).toHaveLength(150);
      await boundLog(file, 100);
      const line = `${at} F -        [initandlisten] Fatal Assertion 28717\n`;
      await server.write(line);
      expect(await readFile(file, 'utf8')).toBe(line);
      expect(await readFile(`${file}.1`, 'utf8')).toBe('a'.repeat(10) + 'b'.repeat(90));
      expect(await lastErrorOf(file, 150)).toBe('Fatal Assertion 28717');
    } finally {
      await server.close();
      await rm(folder, { recursive: true });
    }
  });

  it('may be missing', async () => {
    await expect(boundLog(join(tmpdir(), 'tidings-no-such-folder', 'mongod.log'))).resolves.toBeUndefined();
  });
});
