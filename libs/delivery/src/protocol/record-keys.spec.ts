import { describe, expect, it } from '@jest/globals';
import {
  type ChunkKey,
  chunkRecordKey,
  fanoutId,
  idsBelow,
  messageApplicationKey,
  messageChunkKey,
  planId,
} from './record-keys.ts';

const key: ChunkKey = { message: 'M', bucket: 3, application: 'A-B', chunk: 7 };

describe('keys of records', () => {
  it('keep the form that records have on the topics', () => {
    expect(messageApplicationKey(key)).toBe('M/A-B');
    expect(messageChunkKey(key)).toBe('M/A-B/7');
    expect(chunkRecordKey(key)).toBe('A-B/7');
  });
});

describe('ids of documents', () => {
  it('begin with the message, the bucket and the application', () => {
    expect(fanoutId(key)).toBe('M/3/A-B');
    expect(planId(key)).toBe('M/3/A-B/7');
  });

  it('are limited to one message, without messages whose code begins alike', () => {
    const { $gt, $lt } = idsBelow('M');
    const isBelow = (id: string): boolean => id > $gt && id < $lt;
    expect([planId(key), planId({ ...key, message: 'M1' }), planId({ ...key, message: 'L' })].map(isBelow)).toEqual([
      true,
      false,
      false,
    ]);
  });
});
