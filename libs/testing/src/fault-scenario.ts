import { setTimeout as delay } from 'node:timers/promises';
import { OPEN_DEVICES, SLICE_SIZE } from '@tidings/delivery';
import { retryUntilAnswered } from './retry-until-answered.ts';
import type { ClusterWorld } from './cluster.ts';
import { LongestOpen } from './longest-open.ts';
import { type Population, populationPlatforms, type PopulationProvider } from './population.ts';
import { listedMessage, untilDone } from './message.ts';
import { GivenUp } from './metrics.ts';
import { deadLetters } from './topic.ts';
import { Wire } from './wire.ts';
import type { World } from './world.ts';

/** Their outcome is unknown when the dispatcher is killed (R-LM5). */
export const UNDER_WAY = OPEN_DEVICES;

export interface Moments {
  /** Resolves when this share of the round has reached the providers. */
  reached(share: number): Promise<void>;
  /** Resolves when every message of the round is closed; other work may be open. */
  closed(): Promise<void>;
  /** Call it before ending a dispatcher, whose own count is lost. */
  recordGivenUp(): Promise<void>;
}

export type AllowedRepeats = Partial<Readonly<Record<PopulationProvider, number>>>;

export interface FaultScenario {
  readonly title: string;
  /** 0 = the round is being accepted. */
  readonly share: number;
  /** May resolve with further devices that may be sent again. */
  readonly inject: (moment: Moments) => Promise<AllowedRepeats | void>;
  /** @default none */
  readonly allowed?: AllowedRepeats;
  readonly seed: number;
}

export interface ProviderCount {
  readonly sent: number;
  readonly repeated: number;
  readonly masked: number;
  readonly allowed: number;
}

export interface Recovery {
  /** From the end of the fault. */
  readonly settledSeconds: number;
  /** Clock time until the last deferred devices were due. */
  readonly deferredSeconds: number;
  readonly openLongest: string | undefined;
}

/** E.g. `settled after 6.4 s, open longest: dispatcher.apns: slices being sent, 6.1 s; deferred for 10 s`. */
export const recoveryText = ({ settledSeconds, deferredSeconds, openLongest = 'nothing' }: Recovery): string =>
  `settled after ${settledSeconds.toFixed(1)} s, open longest: ${openLongest}; deferred for ${deferredSeconds} s`;

export interface FaultOutcome {
  /** One line each. */
  readonly broken: readonly string[];
  /** From the first call until the fault began. */
  readonly reachedSeconds: number;
  /** From the end of the fault until every device had its outcome. */
  readonly recoverySeconds: number;
  readonly recovery: Recovery;
  readonly counts: Readonly<Record<PopulationProvider, ProviderCount>>;
}

const POLL_INTERVAL_MS = 2;
/** Twice the maximum time without an outcome (T1): the machine may run other work. */
const TIMEOUT_MS = 120_000;
/** For the round itself, which is not part of the recovery. */
const MS_PER_DEVICE = 1;
const STEP_SECONDS = 10;

/** Resolves with a line per problem; none = one outcome per device, agreeing figures, and only permitted repeats. */
export const runFaultScenario = async (
  world: ClusterWorld,
  population: Population,
  scenario: FaultScenario,
): Promise<string[]> => [...(await faultOutcome(world, population, scenario)).broken];

export async function faultOutcome(
  world: ClusterWorld,
  population: Population,
  { inject, share, title, seed, ...about }: FaultScenario,
): Promise<FaultOutcome> {
  const timeoutMs = TIMEOUT_MS + population.all * MS_PER_DEVICE;
  const round = await population.begin();
  await world.settle(timeoutMs);
  world.simulators.ledger.reset();
  const givenUp = await Promise.all(populationPlatforms.map(({ provider }) => GivenUp.since(world.cluster, provider)));

  // An unanswered caller repeats the request and gets the code of the one existing message.
  const sentAt = performance.now();
  const accepted = retryUntilAnswered(() => population.send(round));
  if (share > 0) await accepted;
  const reached = (targetShare: number): Promise<void> => untilOnTheWire(world, targetShare * population.all);
  const closed = async (): Promise<void> => untilClosed(world, population, await accepted);
  await reached(share);
  const reachedSeconds = (performance.now() - sentAt) / 1000;
  const recordGivenUp = async (): Promise<void> => void (await Promise.all(givenUp.map((count) => count.slices())));
  const further = (await inject({ reached, closed, recordGivenUp })) ?? {};
  const injectedAt = performance.now();
  const codes = await accepted;
  const open = new LongestOpen();
  const settle: World['settle'] = (timeoutMs) => world.settle(timeoutMs, (items) => open.add(items, performance.now()));
  await settle(timeoutMs);
  const settledSeconds = (performance.now() - injectedAt) / 1000;
  let deferredSeconds = 0;
  for (const [a, code] of codes.entries()) {
    const application = population.applications[a]!;
    // The system is settled here: only messages with deferred devices need a wait.
    if ((await listedMessage(world, application, code))?.status === 'DONE') continue;
    deferredSeconds += await untilDone({ ...world, settle }, application, code, { stepSeconds: STEP_SECONDS });
  }
  const recoverySeconds = (performance.now() - injectedAt) / 1000;

  const broken = await population.brokenIn(round, codes, new Wire(world.simulators));
  broken.push(...(await deadLetters(world.cluster)));
  const ledgers: Ledger[] = [];
  for (const [i, { provider }] of populationPlatforms.entries()) {
    const killed = (about.allowed?.[provider] ?? 0) + (further[provider] ?? 0);
    ledgers.push(ledgerOf(world, provider, { killed, slices: await givenUp[i]!.slices() }));
  }
  const lines = ledgers.map(({ line }) => line).join('; ');
  const recovery: Recovery = { settledSeconds, deferredSeconds, openLongest: open.text };
  process.stderr.write(
    `${title}: ${lines}; done after ${recoverySeconds.toFixed(1)} s (${recoveryText(recovery)}; CRASH_SEED=${seed})\n`,
  );
  const [apns, fcm] = ledgers.map(({ count }) => count);
  return {
    broken: [...broken, ...ledgers.flatMap((ledger) => ledger.broken)],
    reachedSeconds,
    recoverySeconds,
    recovery,
    counts: { apns: apns!, fcm: fcm! },
  };
}

async function untilOnTheWire({ simulators: { ledger } }: ClusterWorld, pushes: number): Promise<void> {
  for (;;) {
    const { apns, fcm } = ledger.summary();
    if (apns.accepted + apns.refused + fcm.accepted + fcm.refused >= pushes) return;
    await delay(POLL_INTERVAL_MS);
  }
}

async function untilClosed(world: ClusterWorld, population: Population, codes: readonly string[]): Promise<void> {
  for (const [a, code] of codes.entries()) {
    while ((await listedMessage(world, population.applications[a]!, code))?.status !== 'DONE')
      await delay(POLL_INTERVAL_MS);
  }
}

interface Doubt {
  readonly killed: number;
  /** A live worker has given them up. */
  readonly slices: number;
}

interface Ledger {
  readonly broken: readonly string[];
  readonly line: string;
  readonly count: ProviderCount;
}

function ledgerOf({ simulators }: ClusterWorld, provider: PopulationProvider, { killed, slices }: Doubt): Ledger {
  const { accepted, duplicates: repeated, masked, unidentified } = simulators.ledger.of(provider).summary();
  const allowed = killed + slices * SLICE_SIZE;
  const sent = accepted - repeated;
  const late = slices > 0 ? ` and ${slices} slices answered late` : '';
  const line = `${provider} ${sent} sent, ${repeated} again of ${killed} allowed${late}`;
  const broken: string[] = [];
  if (repeated > allowed) broken.push(`${provider}: ${repeated} devices were sent again, ${allowed} may be`);
  if (masked < repeated) broken.push(`${provider}: ${repeated - masked} devices were shown it twice`);
  if (unidentified > 0) broken.push(`${provider}: ${unidentified} pushes are of no message`);
  return { broken, line, count: { sent, repeated, masked, allowed } };
}
