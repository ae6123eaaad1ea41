import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { ReplyOf } from '@tidings/client';
import { apnsToken, fcmToken } from '@tidings/simulators';
import { platform, type PlatformWorld } from '@tidings/testing';

export class ProvidersUnderTest {
  world!: PlatformWorld;

  /** @param env makes the suite use a system of its own */
  constructor(env?: Readonly<Record<string, string>>) {
    beforeAll(async () => {
      this.world = await platform(env ? { env } : {});
    });
    afterEach(() => this.world.simulators.faults.clear());
    afterAll(() => this.world?.stop());
  }

  readonly audience = async (devices: number): Promise<string> => {
    const application = await this.world.application();
    await this.world.registerDevices(application, 2 * devices, (i) => ({
      hwid: `device-${i}`,
      device_type: i % 2 === 0 ? 1 : 3,
      push_token: i % 2 === 0 ? apnsToken('accepted', i) : fcmToken('accepted', i),
    }));
    this.world.simulators.reset();
    return application;
  };
  readonly broadcast = async (application: string): Promise<string> => {
    const notifications = [{ content: { en: 'Hi' } }];
    return (await this.world.call('createMessage', { application, notifications })).Messages[0]!;
  };
  readonly funnelOf = (code: string): Promise<ReplyOf<'getDeliveryFunnel'>> =>
    this.world.call('getDeliveryFunnel', { message_code: code });
  readonly ledger = () => this.world.simulators.ledger.summary();
  readonly both = (faults: Parameters<PlatformWorld['simulators']['faults']['set']>[1]): Promise<unknown> =>
    Promise.all((['apns', 'fcm'] as const).map((name) => this.world.simulators.faults.set(name, faults)));
}
