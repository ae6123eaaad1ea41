import { setTimeout as delay } from 'node:timers/promises';
import { OPEN_DEVICES, SLICE_SIZE } from '@tidings/delivery';
import { answered } from './answered.ts';
import type { ClusterWorld } from './cluster.ts';
import { LongestOpen } from './longest-open.ts';
import { type Population, populationPlatforms, type PopulationProvider } from './population.ts';
import { listedMessage, untilDone } from './message.ts';
import { GivenUp } from './metrics.ts';
import { deadLetters } from './topic.ts';
import { Wire } from './wire.ts';
import type { World } from './world.ts';

/** Devices of one lane that a dispatcher may have under way, whose outcome is unknown when it is killed (R-LM5). */
export const UNDER_WAY = OPEN_DEVICES;

/** Points of a round for which a fault may wait. */
export interface Moments {
  /** Resolves when this share of the round has reached the providers. */
  reached(share: number): Promise<void>;
  /** Resolves when every message of the round is closed; other work may be open. */
  closed(): Promise<void>;
  /** Records the slices that dispatchers have given up so far. Call it before ending a dispatcher, whose own count is lost. */
  recordGivenUp(): Promise<void>;
}

/** Devices that a provider may be sent again: those under way in killed processes. */
export type AllowedRepeats = Partial<Readonly<Record<PopulationProvider, number>>>;

/** A fault in the middle of a population's next round, and its permitted effects. */
export interface FaultScenario {
  readonly title: string;
  /** Share of the round that has reached the providers before the fault; 0 = the round is being accepted. */
  readonly share: number;
  /** Injects the fault, and restores what does not recover by itself. May resolve with further devices that a provider may be sent again. */
  readonly inject: (moment: Moments) => Promise<AllowedRepeats | void>;
  /** @default none */
  readonly allowed?: AllowedRepeats;
  /** Printed in the line about the scenario. */
  readonly seed: number;
}

/** Pushes of a round at one provider. */
export interface ProviderCount {
  readonly sent: number;
  /** Pushes beyond the first of a device. */
  readonly repeated: number;
  /** Repeated pushes with the masking id of the first one. */
  readonly masked: number;
  /** Maximum number of repeated pushes that the faults permit. */
  readonly allowed: number;
}

/** The parts of the time that a recovery took. */
export interface Recovery {
  /** Time from the end of the fault until nothing was in progress or due. */
  readonly settledSeconds: number;
  /** Time by which the clock was advanced afterwards, until the last deferred devices were due. */
  readonly deferredSeconds: number;
  /** The kind of work that was open longest, and for how long; undefined = none was. */
  readonly openLongest: string | undefined;
}

/** e.g. `settled after 6.4 s, open longest: dispatcher.apns: slices being sent, 6.1 s; deferred for 10 s`. */
export const recoveryText = ({ settledSeconds, deferredSeconds, openLongest = 'nothing' }: Recovery): string =>
  `settled after ${settledSeconds.toFixed(1)} s, open longest: ${openLongest}; deferred for ${deferredSeconds} s`;

/** The outcome of a round with a fault. */
export interface FaultOutcome {
  /** The problems found, one line each. */
  readonly broken: readonly string[];
  /** From the first call until the fault began: until the first push, for the smallest share. */
  readonly reachedSeconds: number;
  /** From the end of the fault until every device had its outcome. */
  readonly recoverySeconds: number;
  readonly recovery: Recovery;
  readonly counts: Readonly<Record<PopulationProvider, ProviderCount>>;
}

const LOOK_EVERY_MS = 2;
/** Twice the maximum time of a device without an outcome after the last fault (T1): the machine may run other work. */
const PATIENCE_MS = 120_000;
/** Additional time for the round itself, which is not part of the recovery. */
const MS_PER_DEVICE = 1;
const STEP_SECONDS = 10;

/**
 * Sends a round to a population, injects a fault, and waits until every device has its outcome. Resets the ledgers first and prints one line
 * at the end. Resolves with the problems found, one line each; none means that every device has exactly one outcome, that funnels and ledgers
 * agree, and that only allowed devices were sent to again, each with the same masking id.
 */
export const runFaultScenario = async (
  world: ClusterWorld,
  population: Population,
  scenario: FaultScenario,
): Promise<string[]> => [...(await faultOutcome(world, population, scenario)).broken];

/** Does what {@link runFaultScenario} does, and resolves with its figures also. */
export async function faultOutcome(
  world: ClusterWorld,
  population: Population,
  { inject, share, title, seed, ...about }: FaultScenario,
): Promise<FaultOutcome> {
  const patienceMs = PATIENCE_MS + population.all * MS_PER_DEVICE;
  const round = await population.begin();
  await world.settle(patienceMs);
  world.simulators.ledger.reset();
  const givenUp = await Promise.all(populationPlatforms.map(({ provider }) => GivenUp.since(world.cluster, provider)));

  // An unanswered caller repeats the request and gets the code of the one existing message.
  const sentAt = performance.now();
  const accepted = answered(() => population.send(round));
  if (share > 0) await accepted;
  const reached = (wanted: number): Promise<void> => untilOnTheWire(world, wanted * population.all);
  const closed = async (): Promise<void> => untilClosed(world, population, await accepted);
  await reached(share);
  const reachedSeconds = (performance.now() - sentAt) / 1000;
  const recordGivenUp = async (): Promise<void> => void (await Promise.all(givenUp.map((count) => count.slices())));
  const further = (await inject({ reached, closed, recordGivenUp })) ?? {};
  const injectedAt = performance.now();
  const codes = await accepted;
  const open = new LongestOpen();
  const settle: World['settle'] = (timeoutMs) => world.settle(timeoutMs, (items) => open.add(items, performance.now()));
  await settle(patienceMs);
  const settledSeconds = (performance.now() - injectedAt) / 1000;
  let deferredSeconds = 0;
  for (const [a, code] of codes.entries()) {
    const application = population.applications[a]!;
    // The system is settled here: only a message with deferred devices has to be waited for, which settles it again.
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
    await delay(LOOK_EVERY_MS);
  }
}

async function untilClosed(world: ClusterWorld, population: Population, codes: readonly string[]): Promise<void> {
  for (const [a, code] of codes.entries()) {
    while ((await listedMessage(world, population.applications[a]!, code))?.status !== 'DONE')
      await delay(LOOK_EVERY_MS);
  }
}

interface Doubt {
  /** Devices that were under way in killed processes. */
  readonly killed: number;
  /** Slices that a live worker has given up. */
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
