import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { faultOfFailure } from './status.ts';

const failure = (code: status, details: string): ServiceError =>
  Object.assign(new Error(details), { code, details, metadata: new Metadata() });

describe('a call that the service did not answer', () => {
  it.each([
    ['the connection was lost', status.UNAVAILABLE],
    ['it took too long', status.DEADLINE_EXCEEDED],
    ['the replica is of a version that does not know the method', status.UNIMPLEMENTED],
  ])('may be repeated later: %s', (details, code) => {
    expect(faultOfFailure(failure(code, details), 'registry')).toMatchObject({
      kind: 'unavailable',
      message: 'A service does not answer',
    });
  });

  it('is a defect otherwise, without details for callers', () => {
    const fault = faultOfFailure(failure(status.INTERNAL, 'secret'), 'registry');

    expect(fault.kind).toBe('bug');
    expect(fault.message).not.toContain('secret');
  });
});
