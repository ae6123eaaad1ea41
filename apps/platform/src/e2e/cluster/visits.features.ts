import { describe, expect, it } from '@jest/globals';
import { casesOf, drawn, Visitors } from '@tidings/testing';
import type { ClusterUnderTest } from './testing/populated.ts';

const { draw } = drawn('members that are killed');

export function visitFeatures(test: ClusterUnderTest): void {
  describe('visits amid a kill', () => {
    const services = ['gateway', 'registry', 'scheduler', 'fanout', 'dispatcher.fcm', 'statistics'];
    it.each(casesOf(services, 1, draw))(
      'are sent once each, and cooldowns hold, when a process of %s is killed',
      async (service) => {
        const { world } = test;
        const members = world.cluster.of(service);
        const member = members[Math.floor(draw() * members.length)]!;
        const visitors = await Visitors.gather(world);
        await visitors.arrive(async () => {
          await member.kill();
          await world.cluster.start([member]);
        });
        expect(await visitors.broken()).toEqual([]);
      },
    );
  });
}
