import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { endWithReader } from './closed-pipe.ts';

describe('output into a closed pipe', () => {
  const codes: number[] = [];
  const output = new PassThrough();
  endWithReader(output, (code) => void codes.push(code));

  it('ends the program without a failure', () => {
    output.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(codes).toEqual([0]);
  });

  it('does not hide another error', () => {
    const full = Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' });
    expect(() => output.emit('error', full)).toThrow(full);
    expect(codes).toEqual([0]);
  });
});
