import { retryUntilAnswered } from './retry-until-answered.ts';
import { brokenInvariants, funnelFigures } from './funnel-invariants.ts';
import type { World } from './world.ts';

const ANDROID = 3;
const VISITORS = 200;
const ANSWERED = 60;
const COOLDOWN_SECONDS = 30 * 86_400;
const SETTLE_MS = 60_000;
const LOCATION = { lat: 48.2, lng: 16.37 };

interface Visitor {
  readonly hwid: string;
  readonly token: string;
}

/** Above other devices' numbers, whose pushes may be in the same ledger. */
let visitors = 1_000_000;

/** They enter two clustered zones with the same message: each must receive it once. */
export class Visitors {
  readonly #world: World;
  readonly #application: string;
  readonly #all: readonly Visitor[];

  private constructor(world: World, application: string, all: readonly Visitor[]) {
    this.#world = world;
    this.#application = application;
    this.#all = all;
  }

  /** The simulators must keep payloads. */
  static async gather(world: World): Promise<Visitors> {
    const application = await world.application({ ios: false });
    const { GeoZoneCluster: cluster } = await world.call('addGeoZoneCluster', {
      application,
      name: 'Square',
      cooldown: COOLDOWN_SECONDS,
    });
    const zone = { ...LOCATION, cooldown: COOLDOWN_SECONDS, range: 100, content: 'Hello', cluster };
    const geozones = ['Corner', 'Fountain'].map((name) => ({ ...zone, name }));
    await world.call('addGeoZone', { application, geozones });
    const { fcmToken } = await import('@tidings/simulators');
    const all = Array.from({ length: VISITORS }, () => ++visitors).map((n) => ({
      hwid: `visitor-${n}`,
      token: fcmToken('accepted', n),
    }));
    await world.registerDevices(application, VISITORS, (i) => ({
      hwid: all[i]!.hwid,
      device_type: ANDROID,
      push_token: all[i]!.token,
    }));
    return new Visitors(world, application, all);
  }

  /** All enter at once, during `inject`, and again after settling. */
  async arrive(inject: () => Promise<void>): Promise<void> {
    const middle = Promise.withResolvers<void>();
    let visited = 0;
    const first = Promise.allSettled(
      this.#all.map(async (visitor) => {
        await this.#visit(visitor);
        if (++visited === ANSWERED) middle.resolve();
      }),
    );
    await middle.promise;
    await inject();
    await first;
    await this.#world.settle(SETTLE_MS);
    await Promise.all(this.#all.map((visitor) => retryUntilAnswered(() => this.#visit(visitor))));
    await this.#world.settle(SETTLE_MS);
  }

  /** One line each; none = all is correct. */
  async broken(): Promise<string[]> {
    const broken = this.#all.flatMap(({ hwid, token }) => {
      const { size } = this.#sendsTo(token);
      return size === 1 ? [] : [`${hwid} was sent to ${size} times`];
    });
    const { items } = await this.#world.call('messagesList', {
      filters: { application: this.#application, source: 'GEO_ZONE' },
      params: { with_metrics: true },
    });
    let [audience, sent] = [0, 0];
    // There are two messages if midnight passed in between.
    for (const { code, push_info: info } of items) {
      const funnel = await this.#world.call('getDeliveryFunnel', { message_code: code });
      broken.push(...brokenInvariants(funnel, info!.metrics!));
      const figures = funnelFigures(funnel);
      audience += figures.audience;
      sent += figures.sent;
    }
    if (audience !== VISITORS || sent !== VISITORS) broken.push(`${sent} sent of ${audience}, expected ${VISITORS}`);
    return broken;
  }

  #visit({ hwid }: Visitor): Promise<unknown> {
    return this.#world.call('getNearestZone', { application: this.#application, hwid, ...LOCATION });
  }

  /** A repeat masked by its tag does not count. */
  #sendsTo(token: string): Set<string> {
    const entries = this.#world.simulators.ledger.of('fcm').entries({ token, limit: Infinity });
    return new Set(
      entries.map(
        ({ payload }) =>
          (JSON.parse(payload!) as { message: { data: { pw_msg_tag: string } } }).message.data.pw_msg_tag,
      ),
    );
  }
}
