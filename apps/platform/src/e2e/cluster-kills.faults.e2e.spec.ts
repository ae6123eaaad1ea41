import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
// eslint-disable-next-line @nx/enforce-module-boundaries -- a program of its own, whose stand-ins a suite needs
import { startSubscriber } from '@tidings/simulators';
import {
  casesOf,
  type ClusterWorld,
  POPULATION_TIMEOUT_MS,
  type Population,
  populatedCluster,
  drawn,
  Load,
  type FaultScenario,
  runFaultScenario,
  UNDER_WAY,
} from '@tidings/testing';

const { seed, draw } = drawn('kills of processes');

jest.setTimeout(POPULATION_TIMEOUT_MS);

describe('a broadcast in the middle of which a process is killed comes to its one end at every device', () => {
  let world: ClusterWorld;
  let population: Population;
  let round = 0;
  beforeAll(async () => void ({ world, population } = await populatedCluster()), 600_000);
  afterAll(() => world?.stop());

  /** Kills one process of a service at a point in a round, while clients are calling, and restarts it. */
  const kill = async (
    service: string,
    { allowed = {}, clients = false }: Pick<FaultScenario, 'allowed'> & { readonly clients?: boolean } = {},
  ): Promise<string[]> => {
    const members = world.cluster.of(service);
    const member = members[Math.floor(draw() * members.length)]!;
    const share = Math.max(0, 1.1 * draw() - 0.2);
    let load: Load | undefined;
    const broken = await runFaultScenario(world, population, {
      round: ++round,
      title: `${member.name} killed at ${Math.round(share * 100)} %`,
      async inject() {
        if (clients) load = new Load(world, population.applications[0]!, population.named(10));
        await load?.under();
        await member.kill();
        await world.cluster.start([member]);
        await load?.stop();
      },
      ...{ share, allowed, seed },
    });
    return [...broken, ...((await load?.broken()) ?? [])];
  };

  const services = [
    ['dispatcher.apns', { apns: UNDER_WAY }],
    ['dispatcher.fcm', { fcm: UNDER_WAY }],
    ['fanout', {}],
    ['scheduler', {}],
    ['statistics', {}],
  ] as const;
  it.each(casesOf(services, 1, draw))('%s', async (service, allowed) => {
    expect(await kill(service, { allowed })).toEqual([]);
  });

  it.each(casesOf(['registry', 'gateway'], 1, draw))('%s, while its clients go on', async (service) => {
    expect(await kill(service, { clients: true })).toEqual([]);
  });

  it('webhooks, and its subscribers receive an event for every device', async () => {
    const subscriber = await startSubscriber();
    const { id } = await world.call('createSubscription', { endpoint: subscriber.endpoint, events: ['Push Sent'] });
    expect(await kill('webhooks')).toEqual([]);
    expect(subscriber.acknowledged().size).toBe(2 * population.eachSent);
    await world.call('deleteSubscription', { id });
    subscriber.down();
  });
});
