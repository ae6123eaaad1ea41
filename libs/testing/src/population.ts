import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import type { LedgerEntry } from '@tidings/simulators';
import { retryUntilAnswered } from './retry-until-answered.ts';
import { brokenInvariants, funnelFigures } from './funnel-invariants.ts';
import { listedMessage } from './message.ts';
import type { Wire } from './wire.ts';
import type { World } from './world.ts';

const MOST_ENTRIES = 50_000;
const REGISTER_MS = 300_000;
const POLL_INTERVAL_MS = 50;

export const populationPlatforms = [
  { code: 1, provider: 'apns' },
  { code: 3, provider: 'fcm' },
] as const;

export type PopulationPlatform = (typeof populationPlatforms)[number];
export type PopulationProvider = PopulationPlatform['provider'];

export interface PopulationOptions {
  /** @default 1 */
  readonly applications?: number;
  /** Per platform and application, for every message. */
  readonly steady: number;
  /** Per platform and application, for one round only. @default none */
  readonly dead?: number;
  readonly throttled?: number;
}

type TokenOf = (platform: PopulationPlatform, kind: 'accepted' | 'dead' | 'throttled', n: number) => string;

/** One message per application and round, with a known outcome for every device. */
export class Population {
  readonly applications: readonly string[];
  readonly #world: World;
  readonly #options: Required<PopulationOptions>;
  readonly #tokenOf: TokenOf;
  #rounds = 0;

  private constructor(
    world: World,
    options: Required<PopulationOptions>,
    applications: readonly string[],
    tokenOf: TokenOf,
  ) {
    this.#world = world;
    this.#options = options;
    this.applications = applications;
    this.#tokenOf = tokenOf;
  }

  static async gather(
    world: World,
    { applications = 1, steady, dead = 0, throttled = 0 }: PopulationOptions,
  ): Promise<Population> {
    const { apnsToken, fcmToken } = await import('@tidings/simulators');
    const tokenOf: TokenOf = ({ provider }, kind, n) => (provider === 'apns' ? apnsToken : fcmToken)(kind, n);
    await world.call('addTag', { tag: { name: 'Round', type: 1 } });
    const codes: string[] = [];
    for (let i = 0; i < applications; i++) codes.push(await world.application({ title: `Population ${i}` }));
    const population = new Population(world, { applications, steady, dead, throttled }, codes, tokenOf);
    await population.#register(0, (platform, a) => population.#steady(platform, a));
    await world.settle(REGISTER_MS);
    return population;
  }

  /** In a world that has taken over its data. */
  movedTo(world: World): Population {
    return new Population(world, this.#options, this.applications, this.#tokenOf);
  }

  get each(): number {
    const { applications, steady, dead, throttled } = this.#options;
    return applications * (steady + dead + throttled);
  }

  get eachSent(): number {
    const { applications, steady, throttled } = this.#options;
    return applications * (steady + throttled);
  }

  get all(): number {
    return populationPlatforms.length * this.each;
  }

  named(n: number): string[] {
    return Array.from({ length: n }, (_, i) => hwidOf(0, populationPlatforms[i % 2]!, Math.floor(i / 2)));
  }

  /** Resolves with the round's number, from 1. */
  async begin(): Promise<number> {
    const round = ++this.#rounds;
    await this.#register(round, (platform, a) => [
      ...this.#dead(platform, round, a),
      ...this.#throttled(platform, round, a),
    ]);
    return round;
  }

  /** Resolves with the messages' codes. Safe to repeat. */
  send(round: number): Promise<string[]> {
    return Promise.all(
      this.applications.map(async (application, a) => {
        const conditions = [['Round', 'IN', [0, round]]];
        const notification = { content: 'Hello', conditions, transactionId: `round-${round}-${a}` };
        const { Messages: codes } = await this.#world.call('createMessage', {
          application,
          notifications: [notification],
        });
        return codes[0]!;
      }),
    );
  }

  /** One line each; none = every device has its one outcome. */
  async brokenIn(round: number, codes: readonly string[], wire: Wire): Promise<string[]> {
    const broken: string[] = [];
    for (const [a, code] of codes.entries()) {
      const application = this.applications[a]!;
      const funnel = await retryUntilAnswered(() => this.#world.call('getDeliveryFunnel', { message_code: code }));
      const listed = await retryUntilAnswered(() => listedMessage(this.#world, application, code));
      if (listed?.status !== 'DONE') broken.push(`${code} is ${listed?.status}`);
      broken.push(
        ...brokenInvariants(funnel, listed?.push_info?.metrics ?? []).map((invariant) => `${code}: ${invariant}`),
      );
      for (const platform of populationPlatforms) {
        const lines = [
          ...this.#brokenFigures(funnelFigures(funnel, platform.code)),
          ...this.#brokenPushes(platform, round, a, wire.of(code, platform.provider)),
        ];
        broken.push(...lines.map((line) => `${code} ${platform.provider}: ${line}`));
      }
    }
    return broken;
  }

  #brokenFigures({ audience, eligible, sent, errors }: ReturnType<typeof funnelFigures>): string[] {
    const { steady, dead, throttled } = this.#options;
    const all = steady + dead + throttled;
    const expected = {
      audience: all,
      eligible: all,
      sent: steady + throttled,
      errors: dead > 0 ? { INVALID_TOKEN: dead } : {},
    };
    const found = { audience, eligible, sent, errors };
    return JSON.stringify(found) === JSON.stringify(expected) ? [] : [`the funnel says ${JSON.stringify(found)}`];
  }

  #brokenPushes(platform: PopulationPlatform, round: number, a: number, pushes: readonly LedgerEntry[]): string[] {
    const accepted = pushes.filter(({ reason }) => reason === 'accepted');
    const refused = pushes.filter(({ status }) => status === 404 || status === 410);
    // A push that arrived twice was shown once.
    const masks = new Map(accepted.map(({ token, collapseId }) => [token, collapseId]));
    const bare = accepted.filter(({ token, collapseId }) => collapseId === '' || masks.get(token) !== collapseId);
    return [
      ...difference('took it', accepted, [...this.#steady(platform, a), ...this.#throttled(platform, round, a)]),
      ...difference('refused it', refused, this.#dead(platform, round, a)),
      ...(bare.length > 0 ? [`${bare.length} without the same masking id each time`] : []),
    ];
  }

  #steady(platform: PopulationPlatform, a: number): string[] {
    const { steady } = this.#options;
    return Array.from({ length: steady }, (_, i) => this.#tokenOf(platform, 'accepted', a * steady + i));
  }

  #dead(platform: PopulationPlatform, round: number, a: number): string[] {
    const { dead } = this.#options;
    return Array.from({ length: dead }, (_, i) => this.#tokenOf(platform, 'dead', (round * 100 + a) * 1000 + i));
  }

  #throttled(platform: PopulationPlatform, round: number, a: number): string[] {
    const { throttled } = this.#options;
    return Array.from({ length: throttled }, (_, i) =>
      this.#tokenOf(platform, 'throttled', (round * 100 + a) * 1000 + i),
    );
  }

  async #register(round: number, tokensOf: (platform: PopulationPlatform, a: number) => string[]): Promise<void> {
    const jobs: { readonly id: string; readonly entries: number }[] = [];
    for (const [a, application] of this.applications.entries()) {
      const all = populationPlatforms.flatMap((platform) =>
        tokensOf(platform, a).map((push_token, i) => ({
          hwid: hwidOf(round, platform, i),
          platform: platform.code,
          push_token,
          tags: { Round: round },
        })),
      );
      for (let from = 0; from < all.length; from += MOST_ENTRIES) {
        const devices = all.slice(from, from + MOST_ENTRIES);
        const { request_id: id } = await this.#world.call('bulkRegisterDevice', { application, devices });
        jobs.push({ id, entries: devices.length });
      }
    }
    // Not until the system is settled, which it never is under a load.
    const deadline = Date.now() + REGISTER_MS;
    for (const { id, entries } of jobs) {
      let job = await this.#world.call('getBulkRegisterDevice', { request_id: id });
      for (; job.status !== 'Completed' && Date.now() < deadline; await delay(POLL_INTERVAL_MS)) {
        job = await this.#world.call('getBulkRegisterDevice', { request_id: id });
      }
      if (job.devices_success !== entries) throw Fault.unavailable(`of ${entries} devices: ${JSON.stringify(job)}`);
    }
  }
}

const hwidOf = (round: number, { provider }: PopulationPlatform, i: number): string => `${round}-${provider}-${i}`;

function difference(what: string, pushes: readonly LedgerEntry[], expected: readonly string[]): string[] {
  const found = new Set(pushes.map(({ token }) => token));
  const missing = expected.filter((token) => !found.delete(token));
  const some = (tokens: readonly string[]): string => [tokens.length, ...tokens.slice(0, 2)].join(' ');
  return missing.length > 0 || found.size > 0
    ? [`devices are missing that should have ${what}: ${some(missing)}; there are too many: ${some([...found])}`]
    : [];
}
