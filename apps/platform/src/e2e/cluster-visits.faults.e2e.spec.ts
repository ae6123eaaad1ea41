import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { cluster, type ClusterWorld, drawn, Visitors } from '@tidings/testing';

const { draw } = drawn('members that are killed');

jest.setTimeout(180_000);

describe('visits are sent once each, and cooldowns hold, after a kill in the middle of them', () => {
  let world: ClusterWorld;
  beforeAll(async () => void (world = await cluster({ simulators: { keepPayloads: true } })), 600_000);
  afterAll(() => world?.stop());

  it.each(['gateway', 'registry', 'scheduler', 'fanout', 'dispatcher.fcm', 'statistics'])(
    'of one %s',
    async (service) => {
      const members = world.cluster.of(service);
      const member = members[Math.floor(draw() * members.length)]!;
      const visitors = await Visitors.gather(world);
      await visitors.come(async () => {
        await member.kill();
        await world.cluster.start([member]);
      });
      expect(await visitors.broken()).toEqual([]);
    },
  );
});
