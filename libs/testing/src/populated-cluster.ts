import { cluster, type ClusterWorld, type ClusterWorldOptions } from './cluster.ts';
import { Population } from './population.ts';

const FULL_DEVICES = 16_000;
const FEW_DEVICES = 2000;
/** Overridden by `FAULT_DEVICES`. */
const devices = Number(process.env['FAULT_DEVICES'] ?? (process.env['FAULTS'] ? FULL_DEVICES : FEW_DEVICES));
/** All with `FAULTS=1`; otherwise `few` random ones, in their order. */
export function casesOf<Case>(cases: readonly Case[], few: number, draw: () => number): readonly Case[] {
  if (process.env['FAULTS']) return cases;
  const lots = cases.map((_, i) => ({ i, lot: draw() })).sort((one, other) => one.lot - other.lot);
  const chosen = new Set(lots.slice(0, few).map(({ i }) => i));
  return cases.filter((_, i) => chosen.has(i));
}

/** For `jest.setTimeout`, on a slow machine. */
export const POPULATION_TIMEOUT_MS = 600_000 * Math.max(1, devices / FULL_DEVICES);
/** Chunks are spread over a service's processes: with this many, each has some. */
const APPLICATIONS = 8;
const DEAD = 5;
/** Slow enough to distinguish the points of a round. */
const LATENCY_MS = 30;

export async function populatedCluster(
  options: ClusterWorldOptions = {},
): Promise<{ world: ClusterWorld; population: Population }> {
  const world = await cluster({ ...options, ownStores: true, hasSeparateChannels: true });
  try {
    const steady = Math.ceil(devices / APPLICATIONS / 2);
    const population = await Population.gather(world, { applications: APPLICATIONS, steady, dead: DEAD });
    await world.simulators.faults.set('all', { latencyMs: LATENCY_MS });
    return { world, population };
  } catch (error) {
    await world.stop();
    throw error;
  }
}
