import { describe, expect, it } from '@jest/globals';
import { endedBy, refusedBy } from './call-status.ts';

describe('the status of a call', () => {
  it.each([
    [{ 'grpc-status': '0' }, 'the subscriber has ended the stream'],
    [{ 'grpc-status': '14', 'grpc-message': 'come%20back' }, '14 UNAVAILABLE: come back'],
    [{ 'grpc-status': '12' }, '12 UNIMPLEMENTED: '],
    [{ 'grpc-status': '99', 'grpc-message': '100%' }, '99 UNKNOWN: 100%'],
    [{ 'grpc-status': 'odd' }, 'odd UNKNOWN: '],
  ])('is the reason of its end: %j, %s', (headers, reason) => expect(endedBy(headers)?.message).toBe(reason));

  it('is in the headers of an answer without messages, or is that of HTTP', () => {
    expect(endedBy({})).toBeUndefined();
    expect(refusedBy({ ':status': '200' })).toBeUndefined();
    expect(refusedBy({ ':status': '200', 'grpc-status': '7' })?.message).toBe('7 PERMISSION_DENIED: ');
    expect(refusedBy({ ':status': '503' })?.message).toBe('the subscriber answered with HTTP 503');
  });
});
