import { type PlatformWorld, until } from '@tidings/testing';

const REQUESTS = 4;
/** Callers without a token have that many requests again. */
const MINUTE_SECONDS = 60;

/** Gateways cache the settings of applications for some seconds. */
export const untilEveryReply = (
  world: PlatformWorld,
  reply: () => Promise<{ readonly status: number }>,
  status: number,
): Promise<void> =>
  until(async () => {
    await world.advance(MINUTE_SECONDS);
    const replies = await Promise.all(Array.from({ length: REQUESTS }, reply));
    return replies.every((each) => each.status === status);
  });
