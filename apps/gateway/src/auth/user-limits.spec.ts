import type { Fault } from '@tidings/kernel';
import { UserLimits } from './user-limits.ts';

const open = (remembered?: number) => {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  return { clock, limits: new UserLimits(clock, { users: 2, ...(remembered !== undefined && { remembered }) }) };
};
const throttled = (seconds: number) =>
  expect.objectContaining({ kind: 'throttled', retryAfterSeconds: seconds }) as unknown as Fault;

describe('the users that a caller names', () => {
  it('are limited within a minute, and repeated users are not counted', () => {
    const { clock, limits } = open();
    for (const user of ['a', 'b', 'a', 'b']) limits.take('APP', '192.0.2.1', user);
    clock.ms += 20_000;
    expect(() => limits.take('APP', '192.0.2.1', 'c')).toThrow(throttled(40));
    limits.take('APP', '192.0.2.1', 'a');
    clock.ms += 40_000;
    limits.take('APP', '192.0.2.1', 'c');
  });

  it('are counted by application and address, which is the network for IPv6', () => {
    const { limits } = open();
    for (const user of ['a', 'b']) limits.take('APP', '2001:db8::1', user);
    limits.take('APP', '192.0.2.1', 'c');
    limits.take('OTHER', '2001:db8::1', 'c');
    expect(() => limits.take('APP', '2001:db8::2', 'c')).toThrow(throttled(60));
  });

  it('are not locked out by a clock that is set back', () => {
    const { clock, limits } = open();
    for (const user of ['a', 'b']) limits.take('APP', '192.0.2.1', user);
    clock.ms -= 500_000;
    limits.take('APP', '192.0.2.1', 'c');
  });

  it('are forgotten for the callers seen longest ago', () => {
    const { limits } = open(1);
    for (const user of ['a', 'b']) limits.take('APP', '192.0.2.1', user);
    limits.take('APP', '192.0.2.2', 'a');
    limits.take('APP', '192.0.2.1', 'c');
  });
});
