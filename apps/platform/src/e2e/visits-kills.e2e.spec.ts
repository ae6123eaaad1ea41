import { afterAll, beforeAll, expect, it } from '@jest/globals';
// eslint-disable-next-line @nx/enforce-module-boundaries -- a program of its own, whose special tokens a suite needs
import { fcmToken } from '@tidings/simulators';
import { brokenLaws, funnelFigures, platformProcess, type ProcessWorld } from '@tidings/testing';

const ANDROID = 3;
const VISITORS = 200;
/** So many have had their answer when the process dies. */
const ANSWERED = 60;
const COOLDOWN_SECONDS = 30 * 86_400;
const HERE = { lat: 48.2, lng: 16.37 };

let world: ProcessWorld;
let visitors = 0;

beforeAll(async () => {
  world = await platformProcess({ simulators: { keepPayloads: true } });
});
afterAll(() => world?.stop());

/** An application with two zones in a cluster that say the same to whoever comes: it is sent once. */
async function applicationWithZones(): Promise<string> {
  const application = await world.application({ ios: false });
  const { GeoZoneCluster: cluster } = await world.call('addGeoZoneCluster', {
    ...{ application, name: 'Square', cooldown: COOLDOWN_SECONDS },
  });
  const zone = { ...HERE, cooldown: COOLDOWN_SECONDS, range: 100, content: 'Hello', cluster };
  const geozones = ['Corner', 'Fountain'].map((name) => ({ ...zone, name }));
  await world.call('addGeoZone', { application, geozones });
  return application;
}

/** The sends that a token has got: a repeat of one, which its tag masks, is none. */
const sendsTo = (token: string): Set<string> => {
  const entries = world.simulators.ledger.of('fcm').entries({ token, limit: Infinity });
  return new Set(
    entries.map(
      ({ payload }) => (JSON.parse(payload!) as { message: { data: { pw_msg_tag: string } } }).message.data.pw_msg_tag,
    ),
  );
};

it.each(['platform', 'everything'] as const)(
  'visits are sent once each, and cooldowns hold, after a kill of the %s in the middle of them',
  async (what) => {
    const application = await applicationWithZones();
    const phones = Array.from({ length: VISITORS }, () => ++visitors).map((n) => ({
      hwid: `visitor-${n}`,
      token: fcmToken('accepted', n),
    }));
    await world.registerDevices(application, VISITORS, (i) => ({
      ...{ hwid: phones[i]!.hwid, device_type: ANDROID, push_token: phones[i]!.token },
    }));
    const visit = ({ hwid }: { hwid: string }) => world.call('getNearestZone', { application, hwid, ...HERE });
    const middle = Promise.withResolvers<void>();
    let answered = 0;
    const first = Promise.allSettled(
      phones.map(async (phone) => {
        await visit(phone);
        if (++answered === ANSWERED) middle.resolve();
      }),
    );
    await middle.promise;
    await world.kill(what);
    await first;
    await world.start();
    await world.settle(60_000);
    // Who was answered has been sent to; the others come again.
    await Promise.all(phones.map(visit));
    await world.settle(60_000);

    expect(phones.filter(({ token }) => sendsTo(token).size !== 1)).toEqual([]);
    const { items } = await world.call('messagesList', {
      filters: { application, source: 'GEO_ZONE' },
      params: { with_metrics: true },
    });
    // Two where midnight came in between.
    const funnels = await Promise.all(
      items.map(async ({ code, push_info }) => {
        const funnel = await world.call('getDeliveryFunnel', { message_code: code });
        expect(brokenLaws(funnel, push_info.metrics!)).toEqual([]);
        return funnelFigures(funnel);
      }),
    );
    const sum = (figure: 'audience' | 'sent') => funnels.reduce((total, figures) => total + figures[figure], 0);
    expect([sum('audience'), sum('sent')]).toEqual([VISITORS, VISITORS]);
  },
);
