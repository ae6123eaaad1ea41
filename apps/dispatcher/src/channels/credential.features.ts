import { expect, it } from '@jest/globals';
import type { SendBatch } from '@tidings/events';
import { channelBatches } from '../testing/channel-batches.ts';
import { type ChannelDeps, LaneWorld } from '../testing/lane-world.ts';
import { type Simulators, startSimulators, type TokenReply, tokenReplies } from '../testing/test-simulators.ts';
import type { Channel } from './channel-port.ts';
import { type ChannelSubject, links } from '../testing/channel-subject.ts';

interface Scene {
  readonly simulators: Simulators;
  readonly world: LaneWorld;
  next(): SendBatch;
}

const RETRY_MS = 31_000;

const transient = tokenReplies.filter((reply) => !['longToken', 'longerToken', 'invalidClient'].includes(reply));

export function credentialFeatures(subject: ChannelSubject): void {
  const { name, protocol = 'HTTP/2', tokensFrom, refuses } = subject;
  const { device, batch } = channelBatches(subject);
  const [, openLink] = links[protocol][0]!;

  const scenario = (title: string, test: (scene: Scene) => Promise<void>): void =>
    it.concurrent(title, async () => {
      const simulators = await startSimulators({ control: false });
      const open = (parts: ChannelDeps): Channel => subject.open(parts, simulators);
      const world = new LaneWorld(subject.credentials(simulators), open, simulators.clock, openLink);
      let messages = 0;
      const next = (): SendBatch => batch([device('accepted', messages)], { bucket: messages++ });
      try {
        await test({ simulators, world, next });
      } finally {
        await world.close();
        await simulators.close();
      }
    });
  const later = ({ world }: Scene): void => world.advanceTo(world.clock.now() + RETRY_MS);

  if (refuses)
    scenario(
      'counts a refusal for the attempt that received it, and waits for a provider that is down (R-P1)',
      async (scene) => {
        const { simulators, world, next } = scene;
        const { fault, outcome } = refuses;
        const provider = tokensFrom ?? name;
        await simulators.faults.set(provider, fault);
        await world.send(next());
        expect([...world.deviceOutcomes()]).toEqual([[0, outcome]]);
        await simulators.faults.clear();
        await simulators.faults.set(provider, { down: true });
        later(scene);
        for (let n = 1; n <= 12; n++) await world.dispatch(next());
        later(scene);
        expect(world.deviceOutcomes().size).toBe(1);
        await simulators.faults.set(provider, { down: false });
        await world.settle();
        expect([...world.deviceOutcomes().values()].filter((each) => each === 'SENT')).toHaveLength(12);
      },
    );

  if (!tokensFrom) return;
  const answering = (simulators: Simulators, tokenReply: TokenReply | null): Promise<void> =>
    simulators.faults.set(tokensFrom, { tokenReply });

  scenario('waits for an access token if another server than its issuer answers', async (scene) => {
    const { simulators, world, next } = scene;
    for (const reply of transient) {
      await answering(simulators, reply);
      await world.dispatch(next());
      expect([reply, [...world.deviceOutcomes()]]).toEqual([reply, []]);
      later(scene);
    }
    await answering(simulators, null);
    await world.settle();
    expect([...world.deviceOutcomes().values()]).toEqual(transient.map(() => 'SENT'));
  });

  scenario('refuses an access token of more than 8 KiB', async (scene) => {
    const { simulators, world, next } = scene;
    for (const reply of ['longToken', 'longerToken'] as const) {
      await answering(simulators, reply);
      await world.send(next());
      later(scene);
    }
    const outcome = 'INVALID_CONFIGURATION 0 access_token_too_long';
    expect([...world.deviceOutcomes().values()]).toEqual([outcome, outcome]);
    await answering(simulators, null);
    expect((await world.send(next())).get(2)).toBe('SENT');
  });
}
