import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { brokenInvariants, funnelFigures, listedMessage, type PlatformWorld, untilDone } from '@tidings/testing';
import type { ProvidersUnderTest } from './testing/providers.ts';

export function slowAnswerFeatures(test: ProvidersUnderTest): void {
  const { audience, broadcast, funnelOf, ledger, both } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  describe('a slow provider', () => {
    it('receives each push once if it answers after 6 s, and every device is counted', async () => {
      const application = await audience(60);
      await both({ latencyMs: 6000 });
      const code = await broadcast(application);
      await untilDone(world, application, code);
      const funnel = await funnelOf(code);
      expect(funnelFigures(funnel)).toMatchObject({ audience: 120, eligible: 120, sent: 120, failed: 0 });
      const metrics = (await listedMessage(world, application, code))?.push_info?.metrics ?? [];
      expect(brokenInvariants(funnel, metrics)).toEqual([]);
      for (const each of [ledger().apns, ledger().fcm]) expect(each).toMatchObject({ accepted: 60, duplicates: 0 });
    });

    it('receives nothing twice if it stalls for 10 s', async () => {
      const application = await audience(40);
      // Opens the connections.
      await untilDone(world, application, await broadcast(application));
      world.simulators.reset();
      await both({ blackhole: true });
      const code = await broadcast(application);
      await delay(10_000);
      await both({ blackhole: false });
      await untilDone(world, application, code);
      expect(funnelFigures(await funnelOf(code))).toMatchObject({ eligible: 80, sent: 80, failed: 0 });
      for (const each of [ledger().apns, ledger().fcm]) expect(each).toMatchObject({ accepted: 40, duplicates: 0 });
    });
  });
}
