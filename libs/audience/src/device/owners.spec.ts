import { describe, expect, it } from '@jest/globals';
import type { Device } from './device.ts';
import { ownerAt, replacedOwners } from './owners.ts';

const owners = [
  { user: 'own', from: 10 },
  { user: 'anna', from: 20 },
  { user: 'ben', from: 30 },
];
const device = (user: string) => ({ owners, user }) as unknown as Device;

describe('ownerAt', () => {
  it.each([
    [5, 'own'],
    [10, 'own'],
    [19, 'own'],
    [20, 'anna'],
    [99, 'ben'],
  ])('finds the user at %i: %s (R-J2)', (at, user) => expect(ownerAt(owners, at)).toBe(user));

  it('finds no user without an owner', () => expect(ownerAt([], 5)).toBe(''));
});

describe('replacedOwners', () => {
  it('transfers the time of one user to another, or to none (R-X2)', () => {
    const users = (to: string) => replacedOwners(device('ben'), { from: 'anna', to }, 40).map(({ user }) => user);
    expect(users('carl')).toEqual(['own', 'carl', 'ben']);
    expect(users('')).toEqual(['own', '', 'ben']);
  });

  it('leaves later items to the current user', () => {
    const after = replacedOwners(device('ben'), { from: 'ben', to: '' }, 40);
    expect([ownerAt(after, 35), ownerAt(after, 40)]).toEqual(['', 'ben']);
  });
});
