import { describe, expect, it } from '@jest/globals';
import { lastWordsIn } from './mongod-log.ts';

const at = '2026-01-15T12:00:00.000+0000';

describe('the last words of MongoDB', () => {
  it.each([
    ['nothing', ''],
    [
      'a log without errors',
      `${at} I NETWORK  [listener] waiting for connections\n${at} I CONTROL  [main] now exiting\n`,
    ],
  ])('are none in %s', (_, log) => {
    expect(lastWordsIn(log)).toBeUndefined();
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
  ])('tell that %s', (_, log, words) => {
    expect(lastWordsIn(log)).toBe(words);
  });
});
