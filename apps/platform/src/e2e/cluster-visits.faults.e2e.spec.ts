import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { casesOf, cluster, type ClusterWorld, POPULATION_TIMEOUT_MS, drawn, Visitors } from '@tidings/testing';

const { draw } = drawn('members that are killed');

jest.setTimeout(POPULATION_TIMEOUT_MS);

describe('visits are sent once each, and cooldowns hold, after a kill in the middle of them', () => {
  let world: ClusterWorld;
  beforeAll(async () => void (world = await cluster({ simulators: { keepPayloads: true } })), 600_000);
  afterAll(() => world?.stop());

  const services = ['gateway', 'registry', 'scheduler', 'fanout', 'dispatcher.fcm', 'statistics'];
  it.each(casesOf(services, 1, draw))('of one %s', async (service) => {
    const members = world.cluster.of(service);
    const member = members[Math.floor(draw() * members.length)]!;
    const visitors = await Visitors.gather(world);
    await visitors.come(async () => {
      await member.kill();
      await world.cluster.start([member]);
    });
    expect(await visitors.broken()).toEqual([]);
  });
});
