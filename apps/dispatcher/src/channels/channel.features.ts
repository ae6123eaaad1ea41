import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AndroidContent, ChromeContent, type SendBatch, WindowsContent } from '@tidings/events';
import { channelBatches } from '../testing/channel-batches.ts';
import { LaneWorld, type LaneWorldOptions } from '../testing/lane-world.ts';
import { type Simulators, startSimulators } from '../testing/test-simulators.ts';
import { type ChannelSubject, links } from '../testing/channel-subject.ts';
export type { ChannelSubject } from '../testing/channel-subject.ts';
import { credentialFeatures } from './credential.features.ts';
import { networkFeatures } from './network.features.ts';

interface Scene {
  readonly simulators: Simulators;
  readonly world: LaneWorld;
  summary(): ReturnType<Simulators['ledger']['summary']>[ChannelSubject['name']];
}

const UNKNOWN = 'INTERNAL_ERROR 0 unknown_outcome';
const UNSTATED_WAIT_MS = 1000;

export function channelFeatures(subject: ChannelSubject): void {
  const { protocol = 'HTTP/2', masks = true, hasTtl = true, invalidates = true, renews = true } = subject;
  const { throttle = 'stated', atMostOnce = false, inDoubtMax = 0, repliesPerMessage = 1, atOnce = Infinity } = subject;
  const { words, expired = /^INVALID_CONFIGURATION 40[13] / } = subject;
  const { device, accepted, at, batch } = channelBatches(subject);
  describe(`channel ${subject.name}`, () => {
    const unmasked = ({ duplicates, masked }: ReturnType<Scene['summary']>): number => {
      if (atMostOnce) return duplicates;
      return masks ? duplicates - masked : 0;
    };

    const scenario = (title: string, test: (scene: Scene) => Promise<void>, options?: LaneWorldOptions): void =>
      it.concurrent.each(links[protocol])(`${title}, over %s`, async (_, openLink) => {
        const simulators = await startSimulators({ control: false, maxConcurrentStreams: 100, keepPayloads: true });
        const world = new LaneWorld(
          subject.credentials(simulators),
          (parts) => subject.open(parts, simulators),
          simulators.clock,
          openLink,
          options,
        );
        try {
          await test({ simulators, world, summary: () => simulators.ledger.summary()[subject.name] });
        } finally {
          await world.close();
          await simulators.close();
        }
      });
    const scenarioOf = (capable: boolean): typeof scenario => (capable ? scenario : () => undefined);

    const all = (count: number, outcome: string): [number, string][] =>
      Array.from({ length: count }, (_, i) => [i, outcome]);

    const endsIn = (world: LaneWorld): ReadonlyMap<number, string> =>
      new Map([...world.deviceOutcomes(), ...world.bounces()]);

    const expectNoneLost = ({ world, summary }: Scene, devices: number, lostConnections = 0): void => {
      const outcomes = [...world.deviceOutcomes().values()];
      expect(outcomes).toHaveLength(devices);
      const doubtful = outcomes.filter((outcome) => outcome !== 'SENT');
      expect(doubtful.filter((outcome) => outcome !== UNKNOWN || !atMostOnce)).toEqual([]);
      expect(doubtful.length).toBeLessThanOrEqual(lostConnections * inDoubtMax);
      expect(summary().tokens).toBeGreaterThanOrEqual(devices - doubtful.length);
      expect(unmasked(summary())).toBe(0);
    };

    scenarioOf(!atMostOnce)(
      'repeats pushes without an answer in time, masked by the same id',
      async ({ world, summary }) => {
        const outcomes = await world.send(batch([device('silent', 0), device('lostReply', 1)]), 90_000);
        expect(new Set(outcomes.values())).toEqual(new Set(['SENT']));
        expect(unmasked(summary())).toBe(0);
      },
      { expiresEarlyMs: 26_000 },
    );

    scenarioOf(atMostOnce)(
      'repeats nothing that the provider may have accepted without an answer',
      async ({ world, summary }) => {
        // They may share the connection that is lost.
        await world.send(batch([device('silent', 0)]), 90_000);
        const outcomes = await world.send(batch([device('lostReply', 1)], { bucket: 1 }), 90_000);
        expect([...outcomes]).toEqual([
          [0, words.silent ?? UNKNOWN],
          [1, UNKNOWN],
        ]);
        expect(summary().duplicates).toBe(0);
      },
      { expiresEarlyMs: 26_000 },
    );

    scenario('sends each device once', async ({ world, summary }) => {
      const outcomes = await world.send(batch(accepted(1200)));
      expect([...outcomes]).toEqual(all(1200, 'SENT'));
      expect(summary()).toMatchObject({ accepted: 1200, refused: 0, tokens: 1200, duplicates: 0, unidentified: 0 });
      expect(world.settledSlices()).toEqual([0, 1, 2]);
    });

    scenario('reports a dead token, and its siblings as sent', async ({ world }) => {
      await world.send(batch([device('accepted', 0), device('dead', 1), device('accepted', 2)]));
      expect([...endsIn(world)].toSorted()).toEqual([
        [0, 'SENT'],
        [1, words.dead],
        [2, 'SENT'],
      ]);
      const dead = { position: 1, token: subject.token('dead', 1) };
      expect(world.results[0]?.deadTokens).toMatchObject(invalidates ? [dead] : []);
    });

    scenarioOf(throttle !== 'none')(
      'sends nothing during the wait of a throttled credential, and everything afterwards',
      async ({ world, simulators, summary }) => {
        await simulators.faults.set(subject.name, { retryAfterSeconds: 120 });
        const refused = device(throttle === 'stated' ? 'unavailable' : 'throttled', 0, 1);
        await world.dispatch(batch([refused, at(1, device('accepted', 0))]));
        const hasArrived = (): boolean => throttle === 'unstated' || world.nextDue() !== undefined;
        await world.until(() => summary().refused === 1 && hasArrived());
        await world.dispatch(batch([device('accepted', 7)], { bucket: 1 }));
        await world.settle(30_000, true);
        expect([...world.deviceOutcomes().values()]).toEqual(['SENT', 'SENT', 'SENT']);
        const entries = simulators.ledger.of(subject.name).entries();
        const waitsUntil =
          entries.find(({ reason }) => reason !== 'accepted')!.at +
          (throttle === 'stated' ? 120_000 : UNSTATED_WAIT_MS);
        expect(
          entries.filter(({ reason, at: time }) => reason === 'accepted' && time < waitsUntil).length,
        ).toBeLessThan(2);
      },
    );

    scenarioOf(throttle === 'stated')(
      'loses no device to a provider that asks to wait for hours',
      async ({ world, simulators, summary }) => {
        await simulators.faults.set(subject.name, { retryAfterSeconds: 7200 });
        await world.dispatch(batch([device('unavailable', 0, 1), ...accepted(300).map((each, i) => at(1 + i, each))]));
        await world.dispatch(
          batch(
            [700, 701, 702].map((n) => device('accepted', n)),
            { bucket: 1 },
          ),
        );
        expect([...world.deviceOutcomes().values()].filter((outcome) => outcome !== 'SENT')).toEqual([]);
        const aheadMs = world.clock.aheadMs;
        await world.settle(30_000, true);
        expect(new Set(world.deviceOutcomes().values())).toEqual(new Set(['SENT']));
        expect(summary()).toMatchObject({ refused: 1, duplicates: 0 });
        expect(world.clock.aheadMs - aheadMs).toBeLessThan(1_000_000);
      },
    );

    scenario('sends nothing twice to a provider that answers after 6 s', async ({ world, simulators, summary }) => {
      await simulators.faults.set(subject.name, { latencyMs: 6000 / repliesPerMessage });
      const count = Math.min(60, atOnce);
      const outcomes = await world.send(batch(accepted(count)), 60_000, false);
      expect([...outcomes]).toEqual(all(count, 'SENT'));
      expect(summary()).toMatchObject({ accepted: count, duplicates: 0 });
      expect(world.settledSlices()).toEqual([0]);
    });

    scenario('retries after a server error until it is over', async ({ world, summary }) => {
      const outcomes = await world.send(batch([device('unavailable', 0, 2)]));
      expect([...outcomes]).toEqual([[0, 'SENT']]);
      expect(summary()).toMatchObject({ accepted: 1, refused: 2 });
    });

    scenario('gives up after an hour or more with the reason of the provider', async ({ world }) => {
      const startedAt = world.clock.now();
      await world.send(batch([device('serverError', 0)]));
      expect([...endsIn(world)]).toEqual([[0, words.serverError]]);
      expect(world.clock.now() - startedAt).toBeGreaterThan(3_000_000);
    });

    scenarioOf(hasTtl)('gives up at the time to live', async ({ world }) => {
      const content = withTtl(20);
      const startedAt = world.clock.now();
      const outcomes = await world.send(batch([device('serverError', 0)], content));
      expect([...outcomes]).toEqual([[0, words.serverError]]);
      expect(world.clock.now() - startedAt).toBeLessThan(60_000);
    });

    scenario('recovers from an unreadable reply', async ({ world }) => {
      await world.send(batch([device('malformed', 0), device('accepted', 1)]));
      const outcomes = await world.send(batch([device('accepted', 2)], { bucket: 1 }));
      expect(outcomes.get(0)).toMatch(words.unreadable ?? /^SENT$|^UNCLASSIFIED_ERROR 400 unreadable_reply$/);
      expect(['SENT', inDoubtMax > 0 && UNKNOWN]).toContain(outcomes.get(1));
      expect(outcomes.get(2)).toBe('SENT');
    });

    scenario('recovers from lost connections, reset and refused streams', async (scene) => {
      const devices = [device('disconnect', 0), device('reset', 1), device('refusedStream', 2)];
      await scene.world.send(batch([...devices, ...accepted(40).map((each, i) => at(10 + i, each))]));
      expectNoneLost(scene, 43, 3);
      const later = [100, 101, 102].map((n) => device('accepted', n));
      const outcomes = await scene.world.send(batch(later, { bucket: 1 }));
      expect(later.map(({ position }) => outcomes.get(position))).toEqual(['SENT', 'SENT', 'SENT']);
    });

    scenarioOf(protocol !== 'HTTP/1.1')(
      'repeats at once the requests that a GOAWAY left unprocessed, and no others',
      async ({ world, simulators, summary }) => {
        await simulators.faults.set(subject.name, { goawayEvery: 50 });
        const aheadMs = world.clock.aheadMs;
        const outcomes = await world.send(batch([device('goawayBefore', 900), ...accepted(500)]));
        expect(outcomes.size).toBe(501);
        expect(new Set(outcomes.values())).toEqual(new Set(['SENT']));
        expect(world.clock.aheadMs).toBe(aheadMs);
        expect(summary()).toMatchObject({ accepted: 501, duplicates: 0 });
      },
      { budgetFactor: 20 },
    );

    scenario('loses no device to a provider that closes every connection', async (scene) => {
      const { world, simulators } = scene;
      await simulators.faults.set(subject.name, { goawayEvery: 1 });
      const resetting = Array.from({ length: 5 }, (_, i) => device('disconnect', 900 + i));
      if (inDoubtMax > 0) {
        await world.send(batch(accepted(60)));
        expectNoneLost(scene, 60);
      }
      const others = inDoubtMax > 0 ? [] : accepted(60);
      await world.send(batch([...others, ...resetting], { bucket: 1 }));
      expectNoneLost(scene, 65, 5);
    });

    scenario('recovers from a storm of reset streams', async (scene) => {
      const { world, simulators } = scene;
      await simulators.faults.set(subject.name, { resetEvery: inDoubtMax > 0 ? 2 * inDoubtMax : 7 });
      await world.send(batch(accepted(300)));
      expectNoneLost(scene, 300, 1);
    });

    scenario(
      'detects silence on an open connection, and continues within 5 s of the end (T9)',
      async ({ world, simulators }) => {
        expect((await world.send(batch(accepted(10)))).size).toBe(10);
        await simulators.faults.set(subject.name, { blackhole: true });
        const handed = world.dispatch(batch(accepted(20), { bucket: 1 }));
        await delay(6000);
        await simulators.faults.set(subject.name, { blackhole: false });
        await handed;
        await world.settle(6_000, true);
        expect([...world.deviceOutcomes().values()].filter((outcome) => outcome !== 'SENT')).toEqual([]);
      },
    );

    scenario('loses nothing to a provider that is down and returns', async ({ world, simulators, summary }) => {
      await simulators.faults.set(subject.name, { down: true });
      await world.dispatch(batch(accepted(1000)));
      expect(world.outcomes.every(({ outcome }) => outcome?.$case === 'deferred')).toBe(true);
      await delay(1500);
      await simulators.faults.set(subject.name, { down: false });
      await world.until(() => summary().accepted > 0, 15_000, false);
      await world.settle(60_000);
      expect([...world.deviceOutcomes()].toSorted((a, b) => a[0] - b[0])).toEqual(all(1000, 'SENT'));
    });

    scenario('sends to no device that is deleted or has no token', async ({ world }) => {
      const outcomes = await world.send(
        batch([
          { ...device('accepted', 0), gone: true },
          { ...device('accepted', 1), token: '' },
          device('accepted', 2),
        ]),
      );
      expect([...outcomes].toSorted()).toEqual([
        [0, 'NO_DEVICE 0 no_device'],
        [1, 'NO_TOKEN 0 no_token'],
        [2, 'SENT'],
      ]);
    });

    scenario('reports a missing credential', async ({ world }) => {
      const other = { application: 'AAAAA-00000', platform: 7, version: 0 };
      const outcomes = await world.send(batch(accepted(2), { credential: other }));
      expect([...outcomes]).toEqual(all(2, 'INVALID_CONFIGURATION 0 not_configured'));
    });

    scenario('gets a new token after a refusal of the old one, once', async ({ world }) => {
      const outcomes = await world.send(
        batch([device('expiredAuth', 0, 0), device('expiredAuth', 1, 5), device('accepted', 2)]),
      );
      expect(outcomes.get(0)).toMatch(renews ? /^SENT$/ : expired);
      expect(outcomes.get(1)).toMatch(expired);
      expect(outcomes.get(2)).toBe('SENT');
    });

    credentialFeatures(subject);
    networkFeatures(subject);

    function withTtl(ttlSeconds: number): Partial<SendBatch> {
      const content = batch([]).content!;
      return {
        content: {
          ...content,
          ios: content.ios ? { ...content.ios, ttlSeconds } : ({ ttlSeconds } as never),
          android: content.android ? { ...content.android, ttlSeconds } : ({ ttlSeconds } as never),
          huawei: AndroidContent.fromPartial({ ttlSeconds }),
          amazon: AndroidContent.fromPartial({ ttlSeconds }),
          chrome: ChromeContent.fromPartial({ ttlSeconds }),
          windows: WindowsContent.fromPartial({ ttlSeconds }),
        },
      };
    }
  });
}
