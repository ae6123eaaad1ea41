import { setTimeout as delay } from 'node:timers/promises';
import { OPEN_DEVICES, SLICE_SIZE } from '@tidings/delivery';
import { answered } from './answered.ts';
import type { ClusterWorld } from './cluster.ts';
import { type Population, populationPlatforms, type PopulationProvider } from './population.ts';
import { listedMessage, untilDone } from './message.ts';
import { GivenUp } from './metrics.ts';
import { deadLetters } from './topic.ts';
import { Wire } from './wire.ts';

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

/** A fault in the middle of a population's next round, and its permitted effects. */
export interface FaultScenario {
  readonly title: string;
  /** Share of the round that has reached the providers before the fault; 0 = the round is being accepted. */
  readonly share: number;
  /** Injects the fault, and restores what does not recover by itself. */
  readonly inject: (moment: Moments) => Promise<void>;
  /** Devices that a provider may be sent again: those under way in killed processes. @default 0 */
  readonly allowed?: Partial<Readonly<Record<PopulationProvider, number>>>;
  /** Printed in the line about the scenario. */
  readonly seed: number;
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
export async function runFaultScenario(
  world: ClusterWorld,
  population: Population,
  { inject, ...about }: FaultScenario,
): Promise<string[]> {
  const { share, allowed = {} } = about;
  const patienceMs = PATIENCE_MS + population.all * MS_PER_DEVICE;
  const round = await population.begin();
  world.simulators.ledger.reset();
  const givenUp = await Promise.all(populationPlatforms.map(({ provider }) => GivenUp.since(world.cluster, provider)));

  // An unanswered caller repeats the request and gets the code of the one existing message.
  const accepted = answered(() => population.send(round));
  if (share > 0) await accepted;
  const reached = (wanted: number): Promise<void> => untilOnTheWire(world, wanted * population.all);
  const closed = async (): Promise<void> => untilClosed(world, population, await accepted);
  await reached(share);
  const recordGivenUp = async (): Promise<void> => void (await Promise.all(givenUp.map((count) => count.slices())));
  await inject({ reached, closed, recordGivenUp });
  const injectedAt = performance.now();
  const codes = await accepted;
  await world.settle(patienceMs);
  for (const [a, code] of codes.entries()) {
    const application = population.applications[a]!;
    // The system is settled here: only a message with deferred devices has to be waited for, which settles it again.
    if ((await listedMessage(world, application, code))?.status === 'DONE') continue;
    await untilDone(world, application, code, { stepSeconds: STEP_SECONDS });
  }
  const seconds = ((performance.now() - injectedAt) / 1000).toFixed(1);

  const broken = await population.brokenIn(round, codes, new Wire(world.simulators));
  broken.push(...(await deadLetters(world.cluster)));
  const lines: string[] = [];
  for (const [i, { provider }] of populationPlatforms.entries()) {
    const slices = await givenUp[i]!.slices();
    const doubt = { killed: allowed[provider] ?? 0, slices };
    const ledger = ledgerOf(world, provider, doubt);
    broken.push(...ledger.broken);
    lines.push(ledger.line);
  }
  process.stderr.write(`${about.title}: ${lines.join('; ')}; done after ${seconds} s (CRASH_SEED=${about.seed})\n`);
  return broken;
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

function ledgerOf({ simulators }: ClusterWorld, provider: PopulationProvider, { killed, slices }: Doubt) {
  const { accepted, duplicates, masked, unidentified } = simulators.ledger.of(provider).summary();
  const most = killed + slices * SLICE_SIZE;
  const late = slices > 0 ? ` and ${slices} slices answered late` : '';
  const line = `${provider} ${accepted - duplicates} sent, ${duplicates} again of ${killed} allowed${late}`;
  const broken: string[] = [];
  if (duplicates > most) broken.push(`${provider}: ${duplicates} devices were sent again, ${most} may be`);
  if (masked < duplicates) broken.push(`${provider}: ${duplicates - masked} devices were shown it twice`);
  if (unidentified > 0) broken.push(`${provider}: ${unidentified} pushes are of no message`);
  return { line, broken };
}
