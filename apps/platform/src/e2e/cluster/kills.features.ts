import { describe, expect, it } from '@jest/globals';
import { startSubscriber } from '@tidings/simulators';
import { casesOf, drawn, type FaultScenario, Load, runFaultScenario, UNDER_WAY } from '@tidings/testing';
import type { ClusterUnderTest } from './testing/populated.ts';

const { seed, draw } = drawn('kills of processes');

export function killFeatures(test: ClusterUnderTest): void {
  const kill = async (
    service: string,
    { allowed = {}, clients = false }: Pick<FaultScenario, 'allowed'> & { readonly clients?: boolean } = {},
  ): Promise<string[]> => {
    const { world, population } = test;
    const members = world.cluster.of(service);
    const member = members[Math.floor(draw() * members.length)]!;
    const share = Math.max(0, 1.1 * draw() - 0.2);
    let load: Load | undefined;
    const broken = await runFaultScenario(world, population, {
      title: `${member.name} killed at ${Math.round(share * 100)} %`,
      async inject({ recordGivenUp }) {
        const killAndRestart = async (): Promise<void> => {
          await recordGivenUp();
          await member.kill();
          await world.cluster.start([member]);
        };
        if (clients) load = await Load.during(world, population, killAndRestart);
        else await killAndRestart();
      },
      share,
      allowed,
      seed,
    });
    return [...broken, ...((await load?.broken()) ?? [])];
  };

  describe('a broadcast', () => {
    const services = [
      ['dispatcher.apns', { apns: UNDER_WAY }],
      ['dispatcher.fcm', { fcm: UNDER_WAY }],
      ['fanout', {}],
      ['scheduler', {}],
      ['statistics', {}],
    ] as const;
    it.each(casesOf(services, 1, draw))(
      'ends with exactly one outcome for every device when a process of %s is killed',
      async (service, allowed) => {
        expect(await kill(service, { allowed })).toEqual([]);
      },
    );

    it.each(casesOf(['registry', 'gateway'], 1, draw))(
      'ends with exactly one outcome for every device when a process of %s is killed while clients call',
      async (service) => {
        expect(await kill(service, { clients: true })).toEqual([]);
      },
    );

    it('ends with exactly one outcome for every device, and an event of each, when a process of webhooks is killed', async () => {
      const { world, population } = test;
      const subscriber = await startSubscriber();
      const { id } = await world.call('createSubscription', { endpoint: subscriber.endpoint, events: ['Push Sent'] });
      expect(await kill('webhooks')).toEqual([]);
      expect(subscriber.acknowledged().size).toBe(2 * population.eachSent);
      await world.call('deleteSubscription', { id });
      subscriber.down();
    });
  });
}
