import { describe, expect, it } from '@jest/globals';
import { registerOwner, unregisterOwner, hasOwnerEnded } from './lease-owner.ts';
import { ownIdentity } from './process-identity.ts';

describe('the owner of a lease', () => {
  const own = ownIdentity();

  it('has not ended while it lives in this process, and has ended after its end here', () => {
    const owner = registerOwner('a');
    expect(owner).toEqual({ id: 'a', ...(own && { process: own }) });
    expect(hasOwnerEnded(owner)).toBe(false);
    unregisterOwner('a');
    expect(hasOwnerEnded(owner)).toBe(own !== undefined);
    expect(hasOwnerEnded(registerOwner('a'))).toBe(false);
    unregisterOwner('a');
  });

  it('counts as alive if its state is unknown', () => {
    expect(hasOwnerEnded({ id: 'b' })).toBe(false);
    if (own) expect(hasOwnerEnded({ id: 'b', process: { ...own, space: 'another machine' } })).toBe(false);
  });

  it('has ended with its process, even if another process has its number', () => {
    if (own) expect(hasOwnerEnded({ id: 'b', process: { ...own, startedAt: '1' } })).toBe(true);
  });
});
