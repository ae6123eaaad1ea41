import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { framed, MessageReader } from './messages.ts';

const MAX = 1_000;
const textsOf = (messages: readonly Uint8Array[]): string[] => messages.map((each) => Buffer.from(each).toString());

function compressed(bytes: Buffer): Buffer {
  const piece = framed([bytes]);
  piece[0] = 1;
  return piece;
}

describe('messages of gRPC', () => {
  it('are read as they were written, in any chunks', () => {
    const texts = ['one', '', 'three', 'x'.repeat(MAX)];
    const bytes = framed(texts.map((text) => Buffer.from(text)));
    expect(bytes.subarray(0, 8)).toEqual(Buffer.from('\0\0\0\0\x03one'));
    for (const size of [1, 2, 7, bytes.length]) {
      const reader = new MessageReader(MAX);
      const read: string[] = [];
      for (let at = 0; at < bytes.length; at += size) read.push(...textsOf(reader.push(bytes.subarray(at, at + size))));
      expect(read).toEqual(texts);
    }
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ] as const)('may be compressed by %s', (encoding, compress) => {
    const reader = new MessageReader(MAX);
    reader.encoding = encoding;
    const piece = Buffer.concat([compressed(compress('one')), framed([Buffer.from('two')])]);
    expect(textsOf(reader.push(piece))).toEqual(['one', 'two']);
  });

  it('are refused when they are too large, or compressed in an unknown way', () => {
    const reader = new MessageReader(MAX);
    reader.encoding = 'gzip';
    expect(() => reader.push(Buffer.from('0000000fff', 'hex'))).toThrow('a message of 4095 bytes is too large');
    expect(() => new MessageReader(MAX).push(compressed(Buffer.from('x')))).toThrow('unknown way');
    const bomb = new MessageReader(MAX);
    bomb.encoding = 'gzip';
    expect(() => bomb.push(compressed(gzipSync(Buffer.alloc(MAX + 1))))).toThrow(/larger than/);
  });
});
