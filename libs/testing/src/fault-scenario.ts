import { setTimeout as delay } from 'node:timers/promises';
import { OPEN_DEVICES, SLICE_SIZE } from '@tidings/delivery';
import { answered } from './answered.ts';
import type { ClusterWorld } from './cluster.ts';
import { type Population, populationPlatforms, type PopulationProvider } from './population.ts';
import { listedMessage, untilDone } from './message.ts';
import { givenUp, givenUpSince } from './metrics.ts';
import { deadLetters } from './topic.ts';
import { Wire } from './wire.ts';

/** What a dispatcher may have under way, and so leave in doubt when it is killed: devices of one lane (R-LM5). */
export const UNDER_WAY = OPEN_DEVICES;

/** Moments in the round that a fault may wait for. */
export interface Moments {
  /** Resolves when so much of the round is on the wire. */
  reached(share: number): Promise<void>;
  /** Resolves when every message of the round is closed, whatever else is open. */
  closed(): Promise<void>;
}

/** A fault in the middle of a round, and what it may cost. */
export interface FaultScenario {
  readonly round: number;
  readonly title: string;
  /** How much of the round is on the wire by then; 0 = it is being accepted. */
  readonly share: number;
  /** Injects the fault, and restores what does not recover by itself. */
  readonly inject: (moment: Moments) => Promise<void>;
  /** Devices that a provider may be sent again: what was under way in what was killed. @default 0 */
  readonly allowed?: Partial<Readonly<Record<PopulationProvider, number>>>;
  /** Printed in the line about the scenario. */
  readonly seed: number;
}

const LOOK_EVERY_MS = 2;
/** Twice as long as a device may be without an end after the last fault (T1): the machine may do much else besides. */
const PATIENCE_MS = 120_000;
/** The round itself takes its time besides, which is no recovery. */
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
  const { round, share, allowed = {} } = about;
  const patienceMs = PATIENCE_MS + population.all * MS_PER_DEVICE;
  await population.join(round);
  world.simulators.ledger.reset();
  const before = await Promise.all(populationPlatforms.map(({ provider }) => givenUp(world.cluster, provider)));

  // Who has no answer asks again, and is told of the one message that there is.
  const accepted = answered(() => population.send(round));
  if (share > 0) await accepted;
  const reached = (wanted: number): Promise<void> => untilOnTheWire(world, wanted * population.all);
  const closed = async (): Promise<void> => untilClosed(world, population, await accepted);
  await reached(share);
  await inject({ reached, closed });
  const injectedAt = performance.now();
  const codes = await accepted;
  await world.settle(patienceMs);
  for (const [a, code] of codes.entries()) {
    await untilDone(world, population.applications[a]!, code, { stepSeconds: STEP_SECONDS });
  }
  const seconds = ((performance.now() - injectedAt) / 1000).toFixed(1);

  const broken = await population.brokenIn(round, codes, new Wire(world.simulators));
  broken.push(...(await deadLetters(world.cluster)));
  const told: string[] = [];
  for (const [i, { provider }] of populationPlatforms.entries()) {
    const slices = givenUpSince(before[i]!, await givenUp(world.cluster, provider));
    const doubt = { killed: allowed[provider] ?? 0, slices };
    const ledger = ledgerOf(world, provider, doubt);
    broken.push(...ledger.broken);
    told.push(ledger.line);
  }
  process.stderr.write(`${about.title}: ${told.join('; ')}; done after ${seconds} s (CRASH_SEED=${about.seed})\n`);
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
  /** Devices that were under way in what was killed. */
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
