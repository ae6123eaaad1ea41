import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { platformProcess, type ProcessWorld, Visitors } from '@tidings/testing';

let world: ProcessWorld;
beforeAll(async () => {
  world = await platformProcess({ simulators: { keepPayloads: true } });
});
afterAll(() => world?.stop());

it.each(['platform', 'everything'] as const)(
  'visits are sent once each, and cooldowns hold, after a kill of the %s in the middle of them',
  async (what) => {
    const visitors = await Visitors.gather(world);
    await visitors.come(async () => {
      await world.kill(what);
      await world.start();
    });
    expect(await visitors.broken()).toEqual([]);
  },
);
