import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseStatisticsHash } from '@tidings/messaging';
// eslint-disable-next-line @nx/enforce-module-boundaries -- a program of its own, whose special tokens a suite needs
import { apnsToken, fcmToken, type LedgerEntry, type ProviderName } from '@tidings/simulators';
import {
  brokenLaws,
  funnelFigures,
  listedMessage,
  platformProcess,
  type ProcessWorld,
  untilDone,
} from '@tidings/testing';
import { Refusal } from '../client/api-client.ts';

const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000_000);
process.stderr.write(`kills are drawn with CRASH_SEED=${seed}\n`);

/** The same numbers from 0 to 1 for the same seed (mulberry32). */
function random(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const IOS = 1;
const ANDROID = 3;
const platforms = [
  { code: IOS, provider: 'apns', token: apnsToken },
  { code: ANDROID, provider: 'fcm', token: fcmToken },
] as const;
type Platform = (typeof platforms)[number];

/** Devices of a platform that every round sends to: five windows. */
const STEADY = 2400;
/** Devices of a platform that only one round sends to, by what their tokens do. */
const DEAD = 30;
const THROTTLED = 15;
/** What a channel may have open at a time, and so leave in doubt (R-LM5). */
const OPEN_DEVICES = 8 * 500;
const EACH_ROUND = platforms.length * (STEADY + DEAD + THROTTLED);

/** Up to where a round goes before everything is killed. `share` says how far in a phase that takes its time. */
type Moment =
  | { readonly at: 'accept' | 'accepted' | 'plan' | 'claim' | 'answered' }
  | { readonly at: 'wire' | 'settle'; readonly share: number };

interface Round {
  readonly n: number;
  readonly moment: Moment;
  readonly what: 'everything' | 'the platform' | 'its database';
}

const draw = random(seed);
const moments: Moment[] = [
  { at: 'accept' },
  { at: 'accepted' },
  { at: 'plan' },
  { at: 'claim' },
  ...Array.from({ length: 3 }, (): Moment => ({ at: 'wire', share: 0.05 + 0.9 * draw() })),
  { at: 'answered' },
  ...Array.from({ length: 2 }, (): Moment => ({ at: 'settle', share: 0.05 + 0.75 * draw() })),
];
const shuffled = moments
  .map((moment) => ({ moment, place: draw() }))
  .sort((a, b) => a.place - b.place)
  .map(({ moment }) => moment);
const alone: Moment[] = [
  { at: 'wire', share: draw() },
  { at: 'settle', share: 0.8 * draw() },
];

const rounds: readonly Round[] = [
  ...shuffled.map((moment, i): Round => ({ n: i + 1, moment, what: 'everything' })),
  ...alone.flatMap((moment, i): Round[] => [
    { n: shuffled.length + 2 * i + 1, moment, what: 'the platform' },
    { n: shuffled.length + 2 * i + 2, moment, what: 'its database' },
  ]),
];

const titleOf = ({ n, moment, what }: Round): string =>
  `${n}: ${moment.at}${'share' in moment ? ` ${Math.round(moment.share * 100)} %` : ''}, then ${what} is killed`;

/** Follows the providers' ledgers as they grow: each entry is read once. */
class Wire {
  readonly #world: ProcessWorld;
  readonly #pushes = new Map<string, LedgerEntry[]>();
  readonly #read = new Map<ProviderName, number>();
  readonly #codes = new Map<string, string>();
  #accepted = 0;

  constructor(world: ProcessWorld) {
    this.#world = world;
  }

  /** What a provider was sent of a message so far. */
  of(code: string, provider?: ProviderName): readonly LedgerEntry[] {
    const names = provider ? [provider] : platforms.map((each) => each.provider);
    return names.flatMap((name) => {
      this.#readOn(name);
      return this.#pushes.get(`${name} ${code}`) ?? [];
    });
  }

  /** Pushes accepted so far of whatever message, each device of a message once. */
  distinct(): number {
    let duplicates = 0;
    for (const { provider } of platforms) {
      this.#readOn(provider);
      duplicates += this.#world.simulators.ledger.of(provider).summary().duplicates;
    }
    return this.#accepted - duplicates;
  }

  #readOn(provider: ProviderName): void {
    const offset = this.#read.get(provider) ?? 0;
    const entries = this.#world.simulators.ledger.of(provider).entries({ offset, limit: Infinity });
    this.#read.set(provider, offset + entries.length);
    for (const entry of entries) {
      const key = `${provider} ${this.#codeOf(entry.hash)}`;
      const known = this.#pushes.get(key);
      if (known) known.push(entry);
      else this.#pushes.set(key, [entry]);
      if (entry.reason === 'accepted') this.#accepted++;
    }
  }

  #codeOf(hash: string): string {
    const message = hash.slice(0, hash.lastIndexOf('_'));
    const known = this.#codes.get(message);
    if (known !== undefined) return known;
    const code = parseStatisticsHash(hash)!.code;
    this.#codes.set(message, code);
    return code;
  }
}

describe('whenever everything is killed', () => {
  let world: ProcessWorld;
  let wire: Wire;
  let application: string;
  const codes = new Map<number, string>();
  /** Pushes that were accepted and not known to be settled, kill by kill: at most these may come twice. */
  const doubts: number[] = [];

  const steady = ({ token }: Platform): string[] => Array.from({ length: STEADY }, (_, i) => token('accepted', i));
  const dead = ({ token }: Platform, round: number): string[] =>
    Array.from({ length: DEAD }, (_, i) => token('dead', round * 1000 + i));
  const throttled = ({ token }: Platform, round: number): string[] =>
    Array.from({ length: THROTTLED }, (_, i) => token('throttled', round * 1000 + i));

  const register = async (round: number, tokensOf: (of: Platform) => string[]): Promise<void> => {
    const devices = platforms.flatMap((of) =>
      tokensOf(of).map((push_token, i) => ({
        hwid: `${round}-${of.provider}-${i}`,
        device_type: of.code,
        push_token,
        tags: { Round: round },
      })),
    );
    await world.registerDevices(application, devices.length, (i) => devices[i]!);
  };

  beforeAll(async () => {
    world = await platformProcess();
    wire = new Wire(world);
    application = await world.application();
    await world.call('addTag', { tag: { name: 'Round', type: 1 } });
    await register(0, steady);
    // Slow enough for the moments to be told apart.
    await world.simulators.faults.set('all', { latencyMs: 30 });
  }, 240_000);
  afterAll(() => world?.stop());

  const send = async ({ n }: Round): Promise<string> => {
    const notification = { content: 'Hello', conditions: [['Round', 'IN', [0, n]]], transactionId: `round-${n}` };
    const { Messages: messages } = await world.call('createMessage', { application, notifications: [notification] });
    return messages[0]!;
  };

  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await holds())) await delay(1);
  };

  const sends = async (): Promise<number> => {
    const { items } = await world.call('messagesList', { filters: { application }, params: { with_metrics: true } });
    return items.reduce(
      (all, { push_info }) => push_info.metrics!.reduce((sum, { sends: of, errors }) => sum + of + errors, all),
      0,
    );
  };

  const ended = async (code: string): Promise<number> => {
    const metrics = (await listedMessage(world, application, code))?.push_info.metrics ?? [];
    return metrics.reduce((sum, { sends: sent, errors }) => sum + sent + errors, 0);
  };

  /** Resolves when the message has come to where the round ends. */
  const reach = async (moment: Moment, code: string): Promise<void> => {
    switch (moment.at) {
      case 'accept':
      case 'accepted':
        return;
      case 'plan':
        return until(async () => {
          const funnel = await world.call('getDeliveryFunnel', { message_code: code });
          return funnelFigures(funnel).eligible > 0;
        });
      case 'claim':
        return until(() => wire.of(code).length > 0);
      case 'wire':
        return until(() => wire.of(code).length >= moment.share * EACH_ROUND);
      case 'answered':
        return until(() => wire.of(code).length >= EACH_ROUND);
      case 'settle':
        return until(async () => (await ended(code)) >= moment.share * (EACH_ROUND - platforms.length * THROTTLED));
    }
  };

  /** Kills without a warning, and brings back what does not come back by itself. */
  const killAndRevive = async (what: Round['what'], known: number): Promise<void> => {
    if (what === 'its database') process.kill((await world.pids()).mongod!, 'SIGKILL');
    else await world.kill(what === 'everything' ? 'everything' : 'platform');
    // What was on the wire still came in, with nobody there to hear the answer.
    doubts.push(wire.distinct() - known);
    if (what !== 'its database') await world.start();
  };

  const answered = async (round: Round): Promise<string> => {
    for (let tries = 1; ; tries++) {
      try {
        return await send(round);
      } catch (error) {
        // A database that died is started again; until then the same call may be repeated.
        if (!(error instanceof Refusal && error.reply.status === 500) || tries > 100) throw error;
        await delay(100);
      }
    }
  };

  it.each(rounds.map((round) => [titleOf(round), round] as const))('%s', async (_title, round) => {
    await register(round.n, (of) => [...dead(of, round.n), ...throttled(of, round.n)]);
    if (round.moment.at === 'accept') {
      const known = await sends();
      const answer = send(round).catch(() => undefined);
      await killAndRevive(round.what, known);
      const told = await answer;
      // Whoever got no answer asks again, and is told of the one message that there is.
      codes.set(round.n, await answered(round));
      if (told !== undefined) expect(codes.get(round.n)).toBe(told);
      return;
    }
    const code = await send(round);
    codes.set(round.n, code);
    await reach(round.moment, code);
    await killAndRevive(round.what, await sends());
    expect(await answered(round)).toBe(code);
  });

  it('every device comes to its one end', async () => {
    await world.settle(90_000);
    for (const code of codes.values()) await untilDone(world, application, code);
    expect(await world.call('messagesList', { filters: { application } })).toMatchObject({ total: rounds.length });
  }, 240_000);

  it.each(rounds.map((round) => [titleOf(round), round] as const))(
    'and the figures agree: %s',
    async (_title, { n }) => {
      const code = codes.get(n)!;
      const funnel = await world.call('getDeliveryFunnel', { message_code: code });
      const listed = await listedMessage(world, application, code);
      expect(listed?.status).toBe('DONE');
      expect(brokenLaws(funnel, listed!.push_info.metrics!)).toEqual([]);
      for (const each of platforms) {
        expect([each.provider, funnelFigures(funnel, each.code)]).toMatchObject([
          each.provider,
          {
            audience: STEADY + DEAD + THROTTLED,
            eligible: STEADY + DEAD + THROTTLED,
            sent: STEADY + THROTTLED,
            errors: { INVALID_TOKEN: DEAD },
          },
        ]);
        const pushes = wire.of(code, each.provider);
        const accepted = pushes.filter(({ reason }) => reason === 'accepted');
        const reached = new Set(accepted.map(({ token }) => token));
        expect(reached).toEqual(new Set([...steady(each), ...throttled(each, n)]));
        const refused = new Set(
          pushes.filter(({ status }) => status === 404 || status === 410).map(({ token }) => token),
        );
        expect(refused).toEqual(new Set(dead(each, n)));
        // Whatever came twice was shown once.
        const masks = new Map(accepted.map(({ token, collapseId }) => [token, collapseId]));
        expect(
          accepted.filter(({ token, collapseId }) => collapseId === '' || masks.get(token) !== collapseId),
        ).toEqual([]);
      }
    },
  );

  it('and no more came twice than was in doubt', () => {
    const counted = platforms.map(({ provider }) => world.simulators.ledger.of(provider).summary());
    const duplicates = counted.map((summary) => summary.duplicates);
    process.stderr.write(
      `sent twice: ${duplicates.join(' and ')}, in doubt: ${doubts.join(' ')} (CRASH_SEED=${seed})\n`,
    );
    for (const { duplicates: twice, masked, unidentified } of counted) {
      expect([masked, unidentified]).toEqual([twice, 0]);
      expect(twice).toBeLessThanOrEqual(doubts.length * OPEN_DEVICES);
    }
    expect(duplicates.reduce((sum, twice) => sum + twice, 0)).toBeLessThanOrEqual(
      doubts.reduce((sum, doubt) => sum + doubt, 0),
    );
  });
});
